import { z } from 'zod';
import { wellFormed } from './text.js';

/** Tenant name (design §4). */
export const WorkspaceId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must match [a-z0-9][a-z0-9-]{0,62}');

const name = z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be 1 to 128 characters of [A-Za-z0-9._:-]');

/** Session, user, plan and task ids (design §4): 1 to 128 characters of `[A-Za-z0-9._:-]`. */
export const SessionId = name;
export const UserId = name;
export const PlanId = name;
export const TaskId = name;
/** Ids of criteria within their task, and of evidence within its session; chosen by the client. */
export const CriterionId = name;
export const EvidenceId = name;
/** The name of an import: the client's, or drawn by us. */
export const ImportRunId = name;

/** The caller's id of a call, verbatim: any string of 1 to 512 characters (promise 1). */
export const CallId = wellFormed(1, 512);
/** The caller's name for one model response; call ids are unique within it. */
export const Turn = wellFormed(1, 512);
export const CallIdSource = z.enum(['native', 'legacy', 'synthetic']);
export type CallIdSource = z.infer<typeof CallIdSource>;

export const ReceiptId = z.string().regex(/^rcp_[A-Za-z0-9_-]{22}$/);
export const ApprovalId = z.string().regex(/^apr_[A-Za-z0-9._:-]{1,128}_(0|[1-9][0-9]{0,9})$/);

/** One try of a runner to run a call; chosen by the runner so that a lost answer can be asked for again (promise 12). */
export const AttemptId = z.uuid();

export const ToolSource = wellFormed(1, 256);
export const ToolName = wellFormed(1, 256);

export const SideEffectClass = z.enum(['read_only', 'filesystem', 'process', 'remote', 'destructive', 'internal']);
export type SideEffectClass = z.infer<typeof SideEffectClass>;

/** `agent:x`, `person:y` or `service:z`. */
export const Principal = z.string().regex(/^(agent|person|service):[A-Za-z0-9._-]{1,120}$/, 'must be agent:…, person:… or service:…');
export const KeyId = z.string().regex(/^[A-Za-z0-9]{4,32}$/, 'must be 4 to 32 characters of [A-Za-z0-9]');
export const Role = z.enum(['agent', 'approver', 'auditor', 'importer', 'admin', 'operator']);
export type Role = z.infer<typeof Role>;
