import { admitArguments, operationId, receiptId, type FingerprintKey } from '@counterfoil/canonical';
import type {
  CancelToolCall,
  CloseSession,
  DenyApproval,
  DispatchToolCall,
  ExtendLease,
  FreeInput,
  GrantApproval,
  OpenSession,
  ReportResult,
  RequestToolCall,
  Sweep,
} from '@counterfoil/session';
import { SESSION, USER, WORKSPACE } from './events.js';
import { attemptOf } from './values.js';

export const FINGERPRINT_KEY: FingerprintKey = { id: 'k1', secret: new Uint8Array(32).fill(7) };
/** Arguments of the builders' call, as JSON text. */
export const ARGUMENTS = '{"path":"a.txt","content":"alpha"}';
export const TOOL = { source: 'mcp:files', name: 'write_file' } as const;

export const freeText = (text: string): FreeInput => ({ kind: 'text', text });
export const freeJson = (text: string): FreeInput => ({ kind: 'json', text });

/** Receipt id of a call of the builders' session. */
export const receiptIdFor = (callId = 'call_0', turn = 'turn-1', sessionId = SESSION): string =>
  receiptId({ workspaceId: WORKSPACE, sessionId, turn, callId });

/** The n-th approval id of the builders' session, beginning with 0. */
export const approvalIdFor = (n = 0): string => `apr_${SESSION}_${n}`;

/** Operation id of admissible arguments in the builders' session, under FINGERPRINT_KEY. */
export function operationIdFor(args: string = ARGUMENTS, tool: { readonly source: string; readonly name: string } = TOOL): string {
  const admitted = admitArguments(args);
  if (!admitted.ok) throw new TypeError(`these arguments have no operation: ${admitted.code}`);
  return operationId(FINGERPRINT_KEY, {
    workspaceId: WORKSPACE,
    userId: USER,
    sessionId: SESSION,
    tool,
    canonicalArguments: admitted.canonical,
  });
}

export const openSession = (change: Partial<OpenSession> = {}): OpenSession => ({
  type: 'OpenSession',
  workspaceId: WORKSPACE,
  sessionId: SESSION,
  userId: USER,
  agent: 'tester',
  parent: null,
  parentRootSessionId: null,
  ...change,
});

export const closeSession = (change: Partial<CloseSession> = {}): CloseSession => ({ type: 'CloseSession', reason: null, ...change });

export type RequestChange = Partial<Omit<RequestToolCall, 'arguments'>> & {
  /** Arguments as they came, admitted or not. */
  readonly args?: string;
};

export function requestToolCall({ args = ARGUMENTS, ...change }: RequestChange = {}): RequestToolCall {
  return {
    type: 'RequestToolCall',
    callId: 'call_0',
    callIdSource: 'native',
    turn: 'turn-1',
    tool: { ...TOOL, declared: null },
    arguments: admitArguments(args),
    taskId: null,
    requireApproval: false,
    approvalExpiresSeconds: 900,
    ...change,
  };
}

export type DispatchChange = Partial<Omit<DispatchToolCall, 'named'>> & {
  /** Names what is to run by its arguments; or name it by `operationId`. */
  readonly args?: string;
  readonly operationId?: string;
};

export function dispatchToolCall({ args, operationId: id = operationIdFor(), ...change }: DispatchChange = {}): DispatchToolCall {
  return {
    type: 'DispatchToolCall',
    receiptId: receiptIdFor(),
    attempt: attemptOf(1),
    named: args === undefined ? { operationId: id } : { arguments: admitArguments(args) },
    before: null,
    leaseSeconds: 60,
    ...change,
  };
}

export type ReportChange = Partial<Omit<ReportResult, 'outcome'>> & { readonly outcome?: Partial<ReportResult['outcome']> };

export function reportResult({ outcome, ...change }: ReportChange = {}): ReportResult {
  return {
    type: 'ReportResult',
    receiptId: receiptIdFor(),
    attempt: attemptOf(1),
    outcome: { status: 'succeeded', exitCode: null, signal: null, isError: null, error: null, ...outcome },
    output: freeJson('"done"'),
    observation: null,
    startedAt: null,
    completedAt: null,
    ...change,
  };
}

export const cancelToolCall = (change: Partial<CancelToolCall> = {}): CancelToolCall => ({
  type: 'CancelToolCall',
  receiptId: receiptIdFor(),
  reason: null,
  ...change,
});

export const extendLease = (change: Partial<ExtendLease> = {}): ExtendLease => ({
  type: 'ExtendLease',
  receiptId: receiptIdFor(),
  attempt: attemptOf(1),
  leaseSeconds: null,
  ...change,
});

export const grantApproval = (change: Partial<GrantApproval> = {}): GrantApproval => ({
  type: 'GrantApproval',
  approvalId: approvalIdFor(),
  operationId: operationIdFor(),
  amended: null,
  note: null,
  ...change,
});

export const denyApproval = (change: Partial<DenyApproval> = {}): DenyApproval => ({
  type: 'DenyApproval',
  approvalId: approvalIdFor(),
  operationId: null,
  note: null,
  ...change,
});

export const sweep = (): Sweep => ({ type: 'Sweep' });
