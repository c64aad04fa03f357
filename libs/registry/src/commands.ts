import type { Duplicates, EffectMapping, Policy, RegisterToolBody, RetireToolBody, SetPolicyBody } from '@counterfoil/contracts';
import type { FreeInput } from '@counterfoil/session';

export interface RegisterTool {
  readonly type: 'RegisterTool';
  readonly workspaceId: string;
  readonly source: string;
  readonly name: string;
  readonly version: string | null;
  readonly inputSchema: FreeInput | null;
  /** A class, or what another generation calls one. */
  readonly sideEffects: string;
  readonly parallelSafe: boolean;
  readonly capabilities: readonly string[];
  /** Null: by class (promise 12). */
  readonly duplicates: Duplicates | null;
  readonly successExitCodes: readonly number[] | null;
  readonly effect: EffectMapping | null;
}

export interface RetireTool {
  readonly type: 'RetireTool';
  readonly workspaceId: string;
  readonly source: string;
  readonly name: string;
  readonly reason: FreeInput | null;
}

export interface SetPolicy {
  readonly type: 'SetPolicy';
  readonly workspaceId: string;
  readonly policy: Policy;
}

export type RegistryCommand = RegisterTool | RetireTool | SetPolicy;

/** The command of a body that was read by its schema. */
export function registerTool(workspaceId: string, body: RegisterToolBody): RegisterTool {
  const { source, name, version, inputSchema, sideEffects, parallelSafe, capabilities, duplicates, successExitCodes, effect } = body;
  return {
    type: 'RegisterTool',
    workspaceId,
    source,
    name,
    version: version ?? null,
    inputSchema: inputSchema === undefined ? null : { kind: 'json', ...inputSchema },
    sideEffects,
    parallelSafe,
    capabilities,
    duplicates: duplicates ?? null,
    successExitCodes: successExitCodes ?? null,
    effect: effect ?? null,
  };
}

export function retireTool(workspaceId: string, { source, name, reason }: RetireToolBody): RetireTool {
  return { type: 'RetireTool', workspaceId, source, name, reason: reason === undefined ? null : { kind: 'text', text: reason } };
}

export const setPolicy = (workspaceId: string, policy: SetPolicyBody): SetPolicy => ({ type: 'SetPolicy', workspaceId, policy });
