import type {
  Association,
  CallIdSource,
  Duplicates,
  Expectation,
  KnownSecret,
  Payload,
  Provenance,
  ToolFacts,
} from '@counterfoil/contracts';
import type { VersionStep } from '../upcast-step.js';

/** ToolCallRequested before tools could be registered. */
export interface ToolCallRequestedV1 {
  readonly receiptId: string;
  readonly workspaceId: string;
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly turn: string | null;
  readonly callId: string;
  readonly callIdSource: CallIdSource;
  readonly tool: ToolFacts;
  readonly arguments: Payload;
  readonly operationId: string | null;
  readonly requestFingerprint: string | null;
  readonly association: Association;
  readonly planId: string | null;
  readonly taskId: string | null;
  readonly approval: {
    readonly required: boolean;
    readonly reasons: readonly { readonly code: string; readonly ruleId: string | null }[];
  };
  readonly registryRevision: string | null;
  readonly secrets: readonly KnownSecret[];
  readonly provenance: Provenance;
}

export interface ToolCallRequestedV2 extends ToolCallRequestedV1 {
  readonly policyVersion: number | null;
  readonly rootSessionId: string | null;
  readonly duplicates: Duplicates;
  readonly successExitCodes: readonly number[] | null;
  readonly expectation: Expectation;
}

/**
 * No tool was registered and no policy was set then, so these are the rules that its calls were judged by (promise 12). What a call was
 * to bring about was not recorded, and is not made up afterwards (promise 19).
 */
export const TOOL_CALL_REQUESTED_V1: VersionStep = {
  type: 'ToolCallRequested',
  from: 1,
  to: 2,
  up: (event) => {
    const data: ToolCallRequestedV2 = {
      ...(event.data as ToolCallRequestedV1),
      policyVersion: null,
      rootSessionId: null,
      duplicates: 'refuse_in_turn',
      successExitCodes: null,
      expectation: { kind: 'unavailable' },
    };
    return [{ type: 'ToolCallRequested', version: 2, data }];
  },
};
