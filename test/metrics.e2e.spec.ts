import { CURRENT_VERSIONS, PROBLEMS } from '@counterfoil/contracts';
import { ROUTE_ROLES } from '../apps/server/src/http/route-roles.js';
import { Agent, Http } from './demo/agent.js';
import { EventStreamClient } from './support/event-stream.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;

function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
      if (name === '') throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

let running: RunningLedger;
let http: Http;
let agent: Agent;

async function scrape(): Promise<{ readonly text: string; readonly samples: readonly Sample[] }> {
  const text = await (await fetch(new URL('/metrics', running.url))).text();
  return { text, samples: samplesOf(text) };
}

/** The value of the one sample with these labels; null for none. */
async function value(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | null> {
  const { samples } = await scrape();
  const found = samples.filter((one) => one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text));
  if (found.length > 1) throw new Error(`${name} has ${String(found.length)} such samples`);
  return found[0]?.value ?? null;
}

/** Gauges of the ledger are kept for two seconds: waits until one shows what it should, or for longer than that. */
async function eventually(name: string, expected: number): Promise<void> {
  const until = Date.now() + 20_000;
  while ((await value(name)) !== expected && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
  expect([name, await value(name)]).toEqual([name, expected]);
}

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

it("is public, in Prometheus' text format", async () => {
  const response = await fetch(new URL('/metrics', running.url));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const described = new Set([...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name));
  for (const { name } of samplesOf(text)) expect(described).toContain(name.replace(/_(bucket|sum|count)$/, ''));
});

it('counts decisions by command and code, and appended events by type', async () => {
  const count = async (code: string): Promise<number> =>
    (await value('counterfoil_decisions_total', { command: 'RequestToolCall', code })) ?? 0;
  const requested = async (): Promise<number> => (await value('counterfoil_events_appended_total', { type: 'ToolCallRequested' })) ?? 0;
  const before = [await count('accepted'), await count('same'), await count('call_conflict'), await requested()] as const;
  await agent.request('1', 'a', 'read', { n: 1 });
  await agent.request('1', 'a', 'read', { n: 1 });
  await expect(agent.request('1', 'a', 'read', { n: 2 })).rejects.toThrow('call_conflict');
  await expect(new Agent(http, 'nowhere').request('1', 'a', 'read', {})).rejects.toThrow('not_found');
  expect([await count('accepted'), await count('same'), await count('call_conflict'), await requested()]).toEqual(before.map((n) => n + 1));
  expect(await count('not_found')).toBeGreaterThan(0);
  expect(await value('counterfoil_events_appended_total', { type: 'PrincipalKeyCreated' })).toBeGreaterThan(0);
});

it('counts requests by declared route and status, and how long they took', async () => {
  await http.raw('GET', '/v1/sessions/s1', undefined, await running.atHead());
  await http.raw('GET', '/v1/sessions/FAKE-other');
  await new Http(running.url, 'none').raw('GET', '/v1/sessions/s1');
  await http.raw('GET', '/no/such/route/FAKE');
  const of = (status: string): Promise<number | null> =>
    value('counterfoil_http_requests_total', { method: 'GET', route: '/v1/sessions/:s', status });
  expect([await of('200'), await of('404'), await of('401')]).toEqual([1, 1, 1]);
  expect(await value('counterfoil_http_requests_total', { route: 'none', status: '404' })).toBe(1);
  expect(await value('counterfoil_http_request_duration_seconds_count', { method: 'GET', route: '/v1/sessions/:s' })).toBe(3);
});

it('shows open approvals, open leases and open streams, and their ends', async () => {
  const held = await agent.request('2', 'held', 'pay', { n: 1 }, { requireApproval: true });
  const { answer, attempt } = await agent.dispatch(await agent.request('2', 'runs', 'read', { n: 2 }));
  const { secret } = await running.admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'person:s', roles: ['auditor'] });
  const stream = await EventStreamClient.open(running.url, secret);
  await eventually('counterfoil_open_approvals', 1);
  await eventually('counterfoil_open_leases', 1);
  await eventually('counterfoil_open_streams', 1);
  await agent.cancel(held, 'no more');
  await agent.report(answer, attempt, { status: 'succeeded' }, null);
  stream.leave();
  await eventually('counterfoil_open_approvals', 0);
  await eventually('counterfoil_open_leases', 0);
  await eventually('counterfoil_open_streams', 0);
});

it('an ended stream counts as a request, and not as a slow one; a client that did not wait counts too', async () => {
  expect(await value('counterfoil_http_requests_total', { route: '/v1/stream', status: '200' })).toBe(1);
  expect(await value('counterfoil_http_request_duration_seconds_count', { route: '/v1/stream' })).toBeNull();
  const held = await agent.request('2', 'left alone', 'pay', { n: 9 }, { requireApproval: true });
  const { secret } = await running.admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'person:l', roles: ['auditor'] });
  const path = `/v1/sessions/s1/tool-calls/${held.call.receiptId}?wait=60s`;
  const impatient = fetch(new URL(path, running.url), { headers: { authorization: `Bearer ${secret}` }, signal: AbortSignal.timeout(500) });
  await expect(impatient).rejects.toThrow();
  while ((await value('counterfoil_http_requests_total', { route: '/v1/sessions/:s/tool-calls/:id', status: '499' })) !== 1);
  await agent.cancel(held, 'no more');
});

it('shows how the projections are', async () => {
  await eventually('counterfoil_projection_lag_positions', 0);
  await eventually('counterfoil_projection_lag_seconds', 0);
  expect(await value('counterfoil_ledger_read')).toBe(1);
  expect(await value('counterfoil_head_position')).toBeGreaterThan(0);
  expect(await value('counterfoil_projection_state', { state: 'running' })).toBe(1);
  expect(await value('counterfoil_projection_state', { state: 'failed' })).toBe(0);
  expect(await value('counterfoil_parked_streams')).toBe(0);
  expect(await value('counterfoil_rebuild_running')).toBe(0);
});

it('no label holds anything that somebody sent: odd ids, secrets, unknown routes and methods', async () => {
  const odd = 'odd"id\\with\nlines{}FAKE';
  const secret = 'sk-FAKE0123456789abcdefghijklmnopqrstuvwxyzABCDEF';
  await http.raw('POST', '/v1/sessions', JSON.stringify({ sessionId: odd }));
  await agent.request(odd, odd, odd, { token: secret });
  await agent.request('3', 'x', `tool-${odd}`, { authorization: `Bearer ${secret}` }, { taskId: 'FAKE-task' });
  for (const path of [`/v1/sessions/${encodeURIComponent(odd)}`, `/${secret}`, `/v1/receipts/FAKE?status=${secret}`, '/%zz-FAKE'])
    await http.raw('GET', path);
  await fetch(new URL(`/v1/sessions/${secret}`, running.url), { method: 'PROPFIND' });
  await new Http(running.url, secret).raw('GET', '/v1/receipts', undefined, { 'x-odd': odd.replaceAll('\n', '') });

  const { text, samples } = await scrape();
  expect(text).not.toMatch(/FAKE|agent:a|odd|s1\b/);
  const routes = Object.keys(ROUTE_ROLES).map((route) => route.split(' '));
  const allowed: Readonly<Record<string, ReadonlySet<string>>> = {
    method: new Set([...routes.map(([method = '']) => method), 'any']),
    route: new Set([...routes.map(([, path = '']) => path), 'none']),
    status: new Set(['200', '201', '499', ...Object.values(PROBLEMS).map(({ status }) => String(status))]),
    code: new Set([...Object.keys(PROBLEMS), 'accepted', 'same']),
    type: new Set(Object.keys(CURRENT_VERSIONS)),
    state: new Set(['contending', 'running', 'stopped', 'failed']),
  };
  for (const { name, labels } of samples) {
    for (const [label, text] of Object.entries(labels)) {
      if (label === 'le') expect(text).toMatch(/^([0-9.]+|\+Inf)$/);
      else if (label === 'command') expect(text).toMatch(/^[A-Z][A-Za-z]{3,30}$/);
      else expect([name, label, [...(allowed[label] ?? [])]]).toEqual([name, label, expect.arrayContaining([text])]);
    }
  }
});

it('several servers in one process count apart', async () => {
  const other = await startLedger();
  try {
    const text = await (await fetch(new URL('/metrics', other.url))).text();
    expect(samplesOf(text).filter(({ labels }) => labels['command'] === 'RequestToolCall')).toEqual([]);
  } finally {
    await other.stop();
  }
});
