import type { ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let agent: Agent;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

/** Reports a result whose output, or error message, is exactly this text, and reads its receipt. */
async function reported(callId: string, member: 'output' | 'message', text: string | Buffer): Promise<ReceiptDocument> {
  const asked = await agent.request('1', callId, 'read', { callId });
  const { attempt } = await agent.dispatch(asked);
  const [before, after] =
    member === 'output'
      ? [`{"attempt":"${attempt}","outcome":{"status":"succeeded"},"output":`, '}']
      : [`{"attempt":"${attempt}","outcome":{"status":"failed","error":{"message":`, '}}}'];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(after)]);
  const answer = await fetch(`${running.url}/v1/sessions/s1/tool-calls/${asked.call.receiptId}/result`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  const { position } = (await answer.json()) as CallAnswer;
  return http.call('GET', `/v1/receipts/${asked.call.receiptId}`, undefined, { 'counterfoil-min-position': position });
}

let key = '';
beforeAll(async () => {
  const body = { principal: 'agent:a', roles: ['agent'], userId: 'u1' };
  key = (await running.admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret;
});

/** Odd texts of results, the JSON that is stored of them, and what is said to be odd. */
const ODD: [string, string | Buffer, string, string[]][] = [
  ['NUL', '"a\\u0000b"', '"a\\u0000b"', ['nul']],
  ['half a surrogate pair', '"x\\ud800y"', '"x\\ud800y"', ['lone_surrogate']],
  ['integers of 64 bits', '[9223372036854775807,-9223372036854775808]', '[9223372036854775807,-9223372036854775808]', ['integer_inexact']],
  ['NaN and infinities', '{"a":NaN,"b":-Infinity}', '{"a":"NaN","b":"-Infinity"}', ['not_a_number', 'infinity']],
  ['numbers out of range', '[1e400,1e-400]', '[1e400,1e-400]', ['number_overflow', 'number_underflow']],
  ['a key twice', '{"a":1,"a":2}', '{"a":1,"a":2}', ['duplicate_key']],
  ['a raw line break in a string', '"a\nb"', '"a\\nb"', ['control_character']],
  ['the spelling of numbers and escapes', '{ "n": 1.0, "e": "\\u00e9" }', '{ "n": 1.0, "e": "\\u00e9" }', []],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0x61, 0xff, 0x22]), '"a\ufffd"', ['invalid_utf8']],
];

describe.each(ODD)('a result with %s', (name, text, stored, anomalies) => {
  it('loses no record: kept as JSON text, and marked', async () => {
    const { status, result } = await reported(`${name} in the output`, 'output', text);
    expect(status).toBe('succeeded');
    expect(result).toMatchObject({ json: stored, state: 'whole', redactions: [] });
    expect([...(result?.anomalies ?? [])].sort()).toEqual([...anomalies].sort());
    expect(() => JSON.parse(result?.json ?? '') as unknown).not.toThrow();
  });

  it('in the message of its error, too', async () => {
    const { status, outcome } = await reported(`${name} in the message`, 'message', text);
    expect(status).toBe('failed');
    expect(outcome?.error?.message).toMatchObject({ json: stored, state: 'whole' });
    expect([...(outcome?.error?.message?.anomalies ?? [])].sort()).toEqual([...anomalies].sort());
  });
});

it('a result nested 100,000 deep, and one of 10 MB, are recorded, cut and marked', async () => {
  const deep = await reported('deep', 'output', `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const long = await reported('long', 'output', JSON.stringify('🧾'.repeat(2_500_000)));
  for (const { status, result } of [deep, long]) {
    expect(status).toBe('succeeded');
    expect(result?.state).toBe('cut');
    expect(result?.storedBytes).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(result?.json ?? '')).toBe(result?.storedBytes);
    expect(() => JSON.parse(result?.json ?? '') as unknown).not.toThrow();
  }
  expect([deep.result?.bytes, long.result?.bytes]).toEqual([200_000, 10_000_002]);
  expect(long.result?.json).toContain('10000002 bytes');
});
