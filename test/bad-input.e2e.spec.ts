import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

interface ProblemBody {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { path: string; message: string }[];
}

let running: RunningLedger;
let agent: Http;
const calls = '/v1/sessions/s1/tool-calls';
const tool = { source: 'builtin', name: 'run' };

beforeAll(async () => {
  running = await startLedger();
  agent = await running.client('agent:a', ['agent']);
  await agent.call('POST', '/v1/sessions', { sessionId: 's1' });
});

afterAll(() => running.stop());

/** Sends text and expects a problem that recorded nothing. */
async function refused(
  http: Http,
  method: string,
  path: string,
  text: string | undefined,
  status: number,
  code: string,
): Promise<ProblemBody> {
  const before = await running.events();
  const answer = await http.raw(method, path, text);
  const body = answer.body as ProblemBody;
  expect({ status: answer.status, code: body.code }).toEqual({ status, code });
  expect(await running.events()).toBe(before);
  return body;
}

const request = (args: string, more = ''): string =>
  `{"callId":"call_${randomUUID()}","turn":"1","tool":{"source":"builtin","name":"run"},"arguments":${args}${more}}`;

describe('a body that is no JSON, or none that has an exact meaning', () => {
  it.each([
    ['text that is cut', '{"callId":"c', 'malformed_json'],
    ['two values', '{}{}', 'malformed_json'],
    ['NaN outside of payloads', '{"callId":NaN}', 'malformed_json'],
    [
      'a key twice outside of arguments',
      '{"callId":"a","callId":"b","turn":"1","tool":{"source":"s","name":"n"},"arguments":{}}',
      'body_anomaly',
    ],
    [
      'the same key spelled with an escape',
      '{"turn":"1","t\\u0075rn":"2","callId":"a","tool":{"source":"s","name":"n"},"arguments":{}}',
      'body_anomaly',
    ],
    ['arguments twice', '{"callId":"a","turn":"1","tool":{"source":"s","name":"n"},"arguments":{},"arguments":{}}', 'body_anomaly'],
    ['half a surrogate pair in an id', '{"callId":"\\ud800","turn":"1","tool":{"source":"s","name":"n"},"arguments":{}}', 'body_anomaly'],
    ['deep nesting outside of payloads', `{"callId":${'['.repeat(100)}${']'.repeat(100)}}`, 'body_too_deep'],
  ])('%s: 400, and no event', async (_name, text, code) => {
    await refused(agent, 'POST', calls, text, 400, code);
  });

  it('bytes that are not UTF-8: 400', async () => {
    const key = await keyOf();
    const before = await running.events();
    const body = Buffer.concat([Buffer.from('{"callId":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${running.url}${calls}`, { method: 'POST', headers, body });
    expect([answer.status, ((await answer.json()) as ProblemBody).code]).toEqual([400, 'invalid_utf8']);
    expect(await running.events()).toBe(before);
  });

  it('another content type: 415', async () => {
    const headers = { authorization: `Bearer ${await keyOf()}`, 'content-type': 'text/plain' };
    const answer = await fetch(`${running.url}${calls}`, { method: 'POST', headers, body: '{}' });
    expect([answer.status, ((await answer.json()) as ProblemBody).code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('anomalies inside arguments are recorded rejections', () => {
  it.each([
    ['a key twice', '{"amount":1,"amount":2}', 'arguments_duplicate_key'],
    ['a key twice, once escaped', '{"amount":1,"\\u0061mount":2}', 'arguments_duplicate_key'],
    ['an integer that a double cannot hold', '{"n":9007199254740993}', 'arguments_integer_not_exact'],
    ['a number that overflows', '{"n":1e400}', 'arguments_number_out_of_range'],
    ['half a surrogate pair', '{"s":"\\udc00"}', 'arguments_lone_surrogate'],
    ['257 levels', `${'['.repeat(257)}${']'.repeat(257)}`, 'arguments_too_deep'],
  ])('%s', async (_name, args, code) => {
    const { status, body } = await agent.raw('POST', calls, request(args));
    const { call, next } = body as { call: { status: string; reason: { code: string }; operationId: null; callId: string }; next: string };
    expect([status, call.status, call.reason.code, call.operationId, next]).toEqual([201, 'rejected', code, null, 'stop']);
    expect(call.callId).toMatch(/^call_/);
  });

  it('`__proto__`, `constructor` and integer-like keys are ordinary keys, and different arguments stay different', async () => {
    const ask = async (args: string): Promise<{ status: string; operationId: string }> =>
      ((await agent.raw('POST', calls, request(args))).body as { call: { status: string; operationId: string } }).call;
    const asked = [
      await ask('{"__proto__":{"a":1}}'),
      await ask('{"__proto__":{"a":2}}'),
      await ask('{}'),
      await ask('{"constructor":1,"1":2}'),
    ];
    expect(asked.map(({ status }) => status)).toEqual(Array(4).fill('requested'));
    expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(4);
  });
});

describe('a body that does not fit', () => {
  it('unknown fields are named: 422', async () => {
    const body = await refused(agent, 'POST', calls, request('{}', ',"sideEffects":"read_only"'), 422, 'invalid_request');
    expect(body.errors).toEqual([{ path: '', message: 'unknown field: sideEffects' }]);
  });

  it('an unknown field whose name is a secret is not echoed', async () => {
    const body = await refused(
      agent,
      'POST',
      calls,
      request('{}', ',"ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE":1'),
      422,
      'invalid_request',
    );
    expect(JSON.stringify(body)).not.toContain('FAKEfake');
  });

  it('`__proto__` as a field of the envelope is an unknown field', async () => {
    await refused(agent, 'POST', calls, request('{}', ',"__proto__":{}'), 422, 'invalid_request');
  });

  it.each([
    ['a missing call id', JSON.stringify({ turn: '1', tool, arguments: {} })],
    ['an empty call id', JSON.stringify({ callId: '', turn: '1', tool, arguments: {} })],
    ['a call id of 513 characters', JSON.stringify({ callId: 'x'.repeat(513), turn: '1', tool, arguments: {} })],
    ['no arguments', JSON.stringify({ callId: 'a', turn: '1', tool })],
    ['arguments in both forms', JSON.stringify({ callId: 'a', turn: '1', tool, arguments: {}, argumentsJson: '{}' })],
    ['a legacy id from a native client', JSON.stringify({ callId: 'a', callIdSource: 'legacy', turn: '1', tool, arguments: {} })],
    ['an array', '[]'],
    ['null', 'null'],
  ])('%s: 422', async (_name, text) => {
    await refused(agent, 'POST', calls, text, 422, 'invalid_request');
  });

  it('a call id of 512 emoji is taken verbatim', async () => {
    const callId = '🧾'.repeat(512);
    const { status, body } = await agent.raw('POST', calls, JSON.stringify({ callId, turn: '1', tool, arguments: {} }));
    expect([status, (body as { call: { callId: string } }).call.callId]).toEqual([201, callId]);
  });

  it('an identifier that is a secret is refused, not recorded, not echoed', async () => {
    const text = JSON.stringify({ callId: 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE', turn: '1', tool, arguments: {} });
    const body = await refused(agent, 'POST', calls, text, 422, 'identifier_is_secret');
    expect(JSON.stringify(body)).not.toContain('FAKEfake');
  });

  it('a body of 20 MB: 413', async () => {
    await refused(agent, 'POST', calls, request(JSON.stringify('x'.repeat(20_000_000))), 413, 'body_too_large');
  });

  it('headers over 16 KiB: 431', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(running.url);
      const socket = connect(Number(port), hostname, () => {
        socket.write(`GET /v1/receipts HTTP/1.1\r\nhost: x\r\nx-long: ${'y'.repeat(20_000)}\r\n\r\n`);
      });
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => {
        resolve(text);
      });
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('header_too_large');
  });
});

describe('who may, and what is there', () => {
  it('no key, a wrong key, a revoked key: 401', async () => {
    const stranger = { authorization: 'Bearer cfk_0123456789abcdef_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAK' };
    for (const headers of [{}, { authorization: 'Basic eDp5' }, stranger]) {
      const answer = await fetch(`${running.url}/v1/receipts`, { headers });
      expect([answer.status, ((await answer.json()) as ProblemBody).code]).toEqual([401, 'unauthenticated']);
    }
  });

  it('a wrong role: 403, also when the body is no JSON and the session unknown', async () => {
    const auditor = await running.client('person:auditor', ['auditor']);
    await refused(auditor, 'POST', '/v1/sessions/none/tool-calls', 'no json', 403, 'forbidden');
  });

  it('an unknown session, another user, another workspace: the same 404', async () => {
    const other = await running.client('agent:other', ['agent'], { userId: 'u2' });
    const operator = await running.admin.call<{ secret: string }>('POST', '/v1/keys', {
      principal: 'person:there',
      roles: ['admin', 'auditor', 'approver'],
      workspace: 'elsewhere',
    });
    const { Http: Client } = await import('./demo/agent.js');
    const foreign = new Client(running.url, operator.secret);
    const bodies = [
      await refused(agent, 'POST', '/v1/sessions/none/tool-calls', request('{}'), 404, 'not_found'),
      await refused(other, 'POST', calls, request('{}'), 404, 'not_found'),
      await refused(other, 'POST', '/v1/sessions/s1/close', '{}', 404, 'not_found'),
      await refused(foreign, 'GET', '/v1/sessions/s1', undefined, 404, 'not_found'),
    ];
    expect(new Set(bodies.map(({ detail }) => detail))).toEqual(new Set(['There is no such session.']));
  });

  it('ids that nothing can have: 404, not an error', async () => {
    for (const path of [
      '/v1/receipts/nothing',
      '/v1/sessions/a%20b',
      `${calls}/rcp_short`,
      '/v1/approvals/apr_x',
      '/v1/nothing',
      '/v1/receipts/%00',
    ]) {
      await refused(agent, 'GET', path, undefined, 404, 'not_found');
    }
  });

  it('a session id that another user holds: 409, which says no more', async () => {
    const other = await running.client('agent:other2', ['agent'], { userId: 'u2' });
    await refused(other, 'POST', '/v1/sessions', '{"sessionId":"s1"}', 409, 'session_id_unavailable');
  });

  it('positions: malformed 400, of another ledger 409, beyond the end 400', async () => {
    const ask = async (position: string): Promise<[number, string, string | null]> => {
      const headers = { authorization: `Bearer ${running.adminKey}`, 'counterfoil-min-position': position };
      const answer = await fetch(`${running.url}/v1/receipts`, { headers });
      return [answer.status, ((await answer.json()) as ProblemBody).code, answer.headers.get('retry-after')];
    };
    const { position } = await running.admin.call<{ position: string }>('GET', '/v1/receipts');
    const epoch = position.split('.')[0] ?? '';
    expect(await ask('12')).toEqual([400, 'invalid_position', null]);
    expect(await ask('e0ther.1')).toEqual([409, 'position_of_another_ledger', null]);
    expect(await ask(`${epoch}.9999999999999`)).toEqual([400, 'invalid_position', null]);
  }, 15_000);

  it('nothing of what was sent stands in the log', () => {
    expect(running.log.join('\n')).not.toMatch(/FAKE|amount/);
  });
});

async function keyOf(): Promise<string> {
  const body = { principal: 'agent:bytes', roles: ['agent'], userId: 'u1' };
  return (await running.admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret;
}
