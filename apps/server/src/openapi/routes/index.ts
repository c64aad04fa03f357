import type { RouteEntry } from '../route-entry.js';
import { APPROVAL_ROUTES } from './approvals.js';
import { IMPORT_ROUTES } from './imports.js';
import { KEY_ROUTES } from './keys.js';
import { OPERATION_ROUTES } from './operations.js';
import { PLAN_ROUTES } from './plans.js';
import { RECEIPT_ROUTES } from './receipts.js';
import { SESSION_ROUTES } from './sessions.js';
import { STREAM_ROUTES } from './stream.js';
import { TASK_ROUTES } from './tasks.js';
import { TOOL_CALL_ROUTES } from './tool-calls.js';
import { TOOL_ROUTES } from './tools.js';

/** Every route, once: a test compares them with the routes that the server has. */
export const ROUTE_ENTRIES: readonly RouteEntry[] = [
  ...OPERATION_ROUTES,
  ...SESSION_ROUTES,
  ...TOOL_CALL_ROUTES,
  ...PLAN_ROUTES,
  ...TASK_ROUTES,
  ...APPROVAL_ROUTES,
  ...RECEIPT_ROUTES,
  ...STREAM_ROUTES,
  ...TOOL_ROUTES,
  ...IMPORT_ROUTES,
  ...KEY_ROUTES,
];
