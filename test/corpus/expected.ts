import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const receipt = z.looseObject({
  receipt_id: z.string().nullable(),
  operation_id: z.string().nullable(),
  call_id: z.string(),
  call_id_source: z.string(),
  tool: z.string(),
  arguments: z.unknown(),
  arguments_fidelity: z.string(),
  authorized: z.boolean().nullable(),
  status: z.string(),
  failure_code: z.string().nullable(),
  exit_code: z.int().nullable(),
  side_effects: z.string(),
  verification: z.object({ state: z.string(), method: z.string().nullable(), observed: z.unknown() }),
  user_id: z.string().nullable(),
  workspace_id: z.string().nullable(),
  session_id: z.string().nullable(),
  plan_id: z.string().nullable(),
  task_id: z.string().nullable(),
  task_association: z.string(),
  tool_version: z.string().nullable(),
  tool_source: z.string().nullable(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  anomalies: z.array(z.string()).optional(),
  result_truncated: z.string().optional(),
});
export type ExpectedReceipt = z.infer<typeof receipt>;

/** What a corpus says that one of its records should read as. */
export const Expected = z.looseObject({
  generation: z.string(),
  surface: z.string().optional(),
  outcome: z.enum(['receipt', 'task', 'task_transition', 'derived_copies', 'not_a_receipt', 'quarantine']),
  receipts: z.array(receipt).optional(),
  task: z.looseObject({ id: z.string(), status: z.string(), status_original: z.string(), evidence_count: z.int() }).optional(),
  task_transition: z.looseObject({ task_id: z.string(), to: z.string() }).optional(),
  count: z.int().optional(),
  projection_must_not_contain: z.array(z.string()).optional(),
  projection_must_contain: z.array(z.string()).optional(),
  reason: z.string().optional(),
});
export type Expected = z.infer<typeof Expected>;

export interface CorpusRecord {
  readonly name: string;
  readonly path: string;
  readonly expected: Expected;
}

/** The records of a corpus folder with `expected.json` beside them, in the order of their names. @throws if the folder holds no such */
export function readCorpus(folder: string): readonly CorpusRecord[] {
  const expected = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== 'expected.json')
    .sort()
    .map((name) => ({ name, path: join(folder, name), expected: Expected.parse(expected[name]) }));
}
