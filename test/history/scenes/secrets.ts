import type { Json } from '../known.js';
import { OldHistory } from '../old-history.js';
import { argsSha256, sha256 } from '../old-hashes.js';
import { asDict, inChat } from '../old-receipts.js';
import { dumps, str } from '../python.js';

/** Each planted secret begins so, and stands where a rule of ours must find it. */
export const PLANTED = 'FAKE';

let count = 0;
const next = (): string => `${PLANTED}q${String(count++).padStart(3, '0')}Zk7xW2`;

/** Short secrets of which the old runtime stored digests: whoever has the digest can guess them. */
const SHORT = ['FAKE-1', 'FAKE-2', 'FAKE-3', 'FAKE-4', 'FAKE-5'] as const;

/** Digests that may stand nowhere. */
export const digests = (): readonly string[] => SHORT.flatMap((secret) => [sha256(secret), argsSha256(`login password: ${secret}`)]);

/** Texts with a secret in them, as tools gave and took them. */
const TEXTS: readonly (() => string)[] = [
  () => `{"api_key": "${next()}", "sku": "sku-1"}`,
  () => dumps({ body: dumps({ token: next() }) }),
  () => dumps({ a: dumps({ b: dumps({ c: dumps({ d: dumps({ password: next() }) }) }) }) }),
  () => `curl -H "Authorization: Bearer ${next()}" https://x.invalid/`,
  () => `HTTP/1.1 200 OK\nSet-Cookie: sid=${next()}; Path=/\nX: y`,
  () => `postgres://admin:${next()}@db.invalid/app`,
  () => `https://x.invalid/?access_token=${next()}&page=2`,
  () => `sk-${next()}${next()}`,
  () => `export GITHUB_TOKEN=${next()}; make`,
  () => str({ password: next(), path: 'a' }),
  () => `"password=${next()}"`,
  () => `-----BEGIN PRIVATE KEY-----\n${next().repeat(3)}\n-----END PRIVATE KEY-----`,
  // A mark of the old redaction beside what it left.
  () => `token=<redacted> then secret: ${next()}`,
];

const token = (): string => `sk-${next()}${next()}`;
const receipt = (history: OldHistory, label: string, changes: Json = {}): Json => ({
  ...inChat(asDict(history, '2', label, { action: 'lookup', args: 'x' })),
  ...changes,
});

/** A database with secrets in every place in which one can stand. What becomes of its rows is nobody's business here. */
export function secrets(): OldHistory {
  const history = new OldHistory('secrets', 3);
  for (const [index, text] of TEXTS.entries()) {
    const [args, result] = [text(), text()];
    const dict = receipt(history, `text ${String(index)}`, { args, result, acceptance: text(), verified_effect: text() });
    history.event('execution.receipt', dict, []);
    history.event('execution.receipt', dumps(dumps(receipt(history, `twice ${String(index)}`, { args, result }))), []);
    history.event('session.message', { role: 'user', content: `"action" ${args}` }, []);
    history.line({ event: 'tool_receipt', tool_receipt: { ...dict, receipt_id: `receipt_line_${String(index)}` } }, []);
    history.line({ v: 1, event: 'tool_receipt', request_id: token(), receipt: dumps(dict) }, []);
    history.line(`${dumps(dict).slice(0, -4)}, "cut": "${text().replaceAll('"', "'").replaceAll('\n', ' ')}`, []);
  }
  identifiers(history);
  facts(history);
  tasks(history);
  entries(history);
  putAside(history);
  shortOnes(history);
  return history;
}

function identifiers(history: OldHistory): void {
  for (const column of ['id', 'user_id', 'workspace_id', 'session_id', 'task_id']) {
    history.event('execution.receipt', receipt(history, column), [], { [column]: token() });
    history.event('task.succeeded', { evidence: { action: 'a', success: true } }, [], { [column]: token() });
  }
  for (const member of [
    'receipt_id',
    'operation_id',
    'task_id',
    'call_id',
    'plan_id',
    'tool_source',
    'tool_version',
    'side_effects',
    'call_id_source',
  ]) {
    history.event('execution.receipt', receipt(history, `in ${member}`, { [member]: token() }), []);
    history.line(receipt(history, `alone ${member}`, { [member]: token() }), []);
  }
  history.event(`task.${token()}`, {}, []);
  history.event(`note.${token()}`, { tools: [{ action: 'a', success: true }] }, []);
  history.event(token(), '{"action": ', []);
}

function facts(history: OldHistory): void {
  for (const member of [
    'action',
    'failure',
    'exit_code',
    'success',
    'authorized',
    'started_at',
    'completed_at',
    'unheard_of',
    'arguments',
    'tool_result',
  ]) {
    history.event('execution.receipt', receipt(history, `fact ${member}`, { [member]: token() }), []);
  }
  history.event('execution.receipt', receipt(history, 'key', { [token()]: 1 }), []);
  history.event(
    'execution.receipt',
    receipt(history, 'arguments', { arguments: { password: next(), deep: [{ authorization: [next()] }], [token()]: 1 } }),
    [],
  );
  const verification = { state: 'verified', method: token(), observed: { path: `/w/${token()}`, token: next() } };
  history.event('execution.receipt', receipt(history, 'verification', { verification, call_id: 'c' }), []);
  history.event('execution.receipt', receipt(history, 'time'), [], { created_at: token() });
}

function tasks(history: OldHistory): void {
  // Shown by its key in one place, and bare in another.
  const known = next();
  const evidence = [
    { action: 'run_cmd', args: `login password=${known}`, result: 'ok', success: true },
    { action: 7, result: `used ${known}`, success: true },
    { action: 'read_file', args: 'a', result: `it was ${known}`, success: true },
  ];
  history.task(
    { description: `log in with ${known}`, evidence, checkpoint: { action: 'run_cmd', args: `login ${known}` }, status: 'failed' },
    [],
  );
  history.task({ status: token(), acceptance: [token()], dependencies: [token()], parent_id: token() }, []);
  history.task({ description: `password: ${next()}`, checkpoint: `{"args": "token=${next()}"` }, []);
  history.task({ evidence: `[{"action": "a", "args": "api_key=${next()}", "success": NaN}]` }, []);
  history.task({ updated_at: token(), evidence: [{ action: token(), success: true }] }, []);
}

function entries(history: OldHistory): void {
  const secret = next();
  const tools = [
    { action: 'run_cmd', args: `export TOKEN=${secret}`, success: true, receipt_id: token() },
    { action: 'run_cmd', args: `echo ${secret}`, success: true },
    { action: '', result: `said ${secret}`, success: true },
  ];
  history.event('learning.run_completed', { run_id: token(), profile: token(), tools }, []);
  history.event('subagent.state', { [token()]: { deep: { action: 7, receipt_id: 'r', success: true } } }, []);
  history.event('subagent.state', { [token()]: [{ action: 'a', success: true }] }, []);
  history.event('bug_fix.receipt', { action: 'a', args: `secret=${next()}`, result: token(), task_id: token(), tool_success: false }, []);
  history.event('subagent.receipt', { run_id: token(), receipt: dumps(receipt(history, 'sub', { args: `password=${next()}` })) }, []);
}

function putAside(history: OldHistory): void {
  const damaged = dumps(receipt(history, 'damaged', { args: `password=${next()}`, result: token() }));
  history.event('execution.receipt', damaged.replace('"exit_code": null', '"exit_code": NaN'), []);
  history.event('execution.receipt', damaged.slice(0, -1), []);
  history.event('execution.receipt', dumps(dumps(damaged)), []);
  history.event('execution.receipt', damaged.replace('"success": true', '"success": true, "success": false'), []);
  history.event('execution.receipt', Buffer.concat([Buffer.from(damaged), Buffer.from([0xff])]), []);
  history.event('execution.receipt', receipt(history, 'other content', { result: token() }), [], { id: 'evt_taken' });
  history.line({ id: 'evt_taken', event_type: 'execution.receipt', payload: receipt(history, 'other content', { result: token() }) }, []);
}

/** Digests over short secrets, under their keys and in texts, in whatever case and however often encoded. */
function shortOnes(history: OldHistory): void {
  for (const [index, secret] of SHORT.entries()) {
    const raw = argsSha256(`login password: ${secret}`);
    const shown = { args: 'login password:<redacted>', args_sha256: index === 1 ? raw.toUpperCase() : raw };
    const observed = { sha256: sha256(secret), hash: sha256(secret), bytes: 6 };
    const dict = receipt(history, `short ${String(index)}`, { ...shown, verification: { state: 'verified', method: 'm', observed } });
    history.event('execution.receipt', dict, []);
    history.event(
      'execution.receipt',
      { ...dict, receipt_id: `receipt_said_${String(index)}`, result: `${dumps(shown)} ${str(shown)} ${raw}` },
      [],
    );
    history.event('execution.receipt', dumps(dict).replace('"exit_code": null', '"exit_code": NaN'), []);
    history.event('execution.receipt', dumps(dict).slice(0, -1), []);
    history.event('execution.receipt', { ...dict, started_at: 'never' }, []);
    history.event('subagent.state', { tool_records: [dict, { ...dict, action: '' }] }, []);
    history.task(
      {
        checkpoint: shown,
        evidence: [
          { action: 'run_cmd', success: true, ...shown },
          { success: true, ...shown },
        ],
      },
      [],
    );
    history.line(dict, []);
    history.line({ wrapped: { action: 'a', success: true, ...shown, observed } }, []);
    history.line(dumps(dumps(dumps(dumps(dict)))), []);
    history.line(dumps(dict).slice(0, -1), []);
  }
}
