import type { ProblemCode } from '@counterfoil/contracts';
import type { z } from 'zod';

/** A schema with a name of its own among the document's components. */
export interface Named {
  readonly name: string;
  readonly schema: z.ZodType;
}

export const named = (name: string, schema: z.ZodType): Named => ({ name, schema });

/** An answer that is not JSON. */
export interface TextAnswer {
  readonly mediaType: string;
}

export interface AnswerEntry {
  readonly description: string;
  readonly content: Named | TextAnswer;
}

/** A header that a route reads. */
export interface HeaderEntry {
  readonly name: string;
  readonly description: string;
}

/** One route of the API: everything that its description says, but for the roles, which ROUTE_ROLES says. */
export interface RouteEntry {
  /** As in ROUTE_ROLES, for example `POST /v1/sessions/:s/close`. */
  readonly route: string;
  /** Unique; what a generated client calls it. */
  readonly id: string;
  readonly tag: TagName;
  readonly summary: string;
  readonly description?: string;
  /** The very schema that the route validates its query string with. */
  readonly query?: z.ZodObject;
  readonly headers?: readonly HeaderEntry[];
  /** The very schema that the route validates its body with. */
  readonly body?: Named;
  /** Types of a body that is taken as it comes, and validated by nothing but what it is read for. */
  readonly upload?: readonly string[];
  readonly answers: Readonly<Record<number, AnswerEntry>>;
  /** Problems of this route, beside those that any route of its kind has. */
  readonly problems?: readonly ProblemCode[];
}

export const TAGS = {
  sessions: 'A session holds everything that belongs together: plans, tasks, calls, approvals and evidence of one user.',
  'tool-calls':
    'The life of a call: request, dispatch, result. Run a tool only after a dispatch that answered `dispatched`. A refusal that is recorded is no problem: it is a 200 or 201 whose call has `status: "rejected"`.',
  approvals: 'Decisions of people about one operation of one call.',
  receipts:
    'One receipt per tool call: what was asked, authorised, done and observed. **Receipts do not complete tasks**: neither a successful receipt nor a verified effect does; only POST /v1/sessions/{s}/tasks/{t}/complete does, and it names the evidence for each criterion.',
  plans: 'Working Plans. One is active in a session at a time.',
  tasks: 'Tasks move by these commands alone. No call, receipt or piece of evidence completes one.',
  tools: 'The tool registry and the policy of the workspace. A side-effect class grants nothing; a policy can only restrict.',
  imports: 'Records of old systems: read whole, each with one fate, and none of them twice.',
  keys: 'Keys of the workspace.',
  stream: 'What happens, as it happens.',
  operations: 'For whoever runs the server; facts about the process, none about its users.',
} as const;
export type TagName = keyof typeof TAGS;

/** A query waits for the position in this header, so that a client reads its own writes (promise 28). */
export const MIN_POSITION: HeaderEntry = {
  name: 'Counterfoil-Min-Position',
  description: 'A position that an earlier answer gave: the answer holds everything up to there, or is 503 `projection_lagging`.',
};

/** A command that creates something: 201 now, 200 when the same was said before. */
export const createdOr = (content: Named): RouteEntry['answers'] => ({
  201: { description: 'Recorded now.', content },
  200: { description: 'The same was recorded before; nothing was added.', content },
});

export const answered = (description: string, content: AnswerEntry['content']): RouteEntry['answers'] => ({
  200: { description, content },
});

/** Problems that every query over read models may answer. */
export const QUERY_PROBLEMS = [
  'projection_lagging',
  'invalid_position',
  'position_of_another_ledger',
] as const satisfies readonly ProblemCode[];
export const PAGE_PROBLEMS = [...QUERY_PROBLEMS, 'invalid_cursor', 'cursor_mismatch'] as const satisfies readonly ProblemCode[];
/** Problems that every command on a session may answer. */
export const COMMAND_PROBLEMS = [
  'contention',
  'outcome_unknown',
  'ledger_sealed',
  'event_too_large',
  'identifier_is_secret',
] as const satisfies readonly ProblemCode[];
