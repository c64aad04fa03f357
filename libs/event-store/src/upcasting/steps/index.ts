import type { UpcastStep } from '../upcast-step.js';
import { SESSION_OPENED_V1 } from './session-opened-v1.js';
import { TOOL_CALL_REQUESTED_V1 } from './tool-call-requested-v1.js';
import { TOOL_DISPATCHED_V1 } from './tool-dispatched-v1.js';

/** The steps of the events that this ledger itself wrote in older versions; those of imported formats stand with their format. */
export const LEDGER_STEPS: readonly UpcastStep[] = [SESSION_OPENED_V1, TOOL_CALL_REQUESTED_V1, TOOL_DISPATCHED_V1];
export type { SessionOpenedV1 } from './session-opened-v1.js';
export type { ToolCallRequestedV1 } from './tool-call-requested-v1.js';
export type { ToolDispatchedV1 } from './tool-dispatched-v1.js';
