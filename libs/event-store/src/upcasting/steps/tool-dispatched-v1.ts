import type { KnownSecret, Payload } from '@counterfoil/contracts';
import type { VersionStep } from '../upcast-step.js';

/** ToolDispatched before there were tasks. */
export interface ToolDispatchedV1 {
  readonly receiptId: string;
  readonly attempt: string;
  readonly operationId: string;
  readonly approvalId: string | null;
  readonly registryRevision: string | null;
  readonly before: Payload | null;
  readonly leaseSeconds: number;
  readonly leaseUntil: string;
  readonly secrets: readonly KnownSecret[];
}

export interface ToolDispatchedV2 extends ToolDispatchedV1 {
  readonly planId: string | null;
  readonly taskId: string | null;
  readonly outdates: 'nothing' | 'task' | 'session';
}

/** Every tool was unregistered and so destructive, and every call bound to no task: what one of them ran outdates all evidence. */
export const TOOL_DISPATCHED_V1: VersionStep = {
  type: 'ToolDispatched',
  from: 1,
  to: 2,
  up: (event) => {
    const data: ToolDispatchedV2 = { ...(event.data as ToolDispatchedV1), planId: null, taskId: null, outdates: 'session' };
    return [{ type: 'ToolDispatched', version: 2, data }];
  },
};
