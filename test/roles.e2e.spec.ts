import { readFileSync } from 'node:fs';
import type { Role } from '@counterfoil/contracts';
import { ROUTE_ROLES } from '../apps/server/src/http/route-roles.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const ROLES: readonly Role[] = ['agent', 'approver', 'auditor', 'importer', 'admin', 'operator'];

/** The table of docs/security.md: route, then yes or no for each role, then for nobody. */
function documented(): readonly { readonly route: string; readonly allowed: readonly boolean[] }[] {
  const text = readFileSync(new URL('../docs/security.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (GET|POST|PUT|DELETE) /.test(line));
  return rows.map((row) => {
    const [route = '', ...cells] = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { route, allowed: cells.map((cell) => cell === 'yes') };
  });
}

let running: RunningLedger;
const keys = new Map<Role, string>();

beforeAll(async () => {
  running = await startLedger();
  for (const role of ROLES) {
    const body = {
      principal: role === 'agent' ? 'agent:walker' : `person:${role}`,
      roles: [role],
      ...(role === 'agent' ? { userId: 'u1' } : {}),
    };
    keys.set(role, (await running.admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret);
  }
});

afterAll(() => running.stop());

it('docs/security.md and the table in the code name the same routes', () => {
  expect(documented().map(({ route }) => route)).toEqual(Object.keys(ROUTE_ROLES));
});

it('every route that the server has is in the table, and none else', () => {
  const routes = running.routes().filter((route) => !/^(HEAD|OPTIONS) /.test(route));
  expect(routes.sort()).toEqual(Object.keys(ROUTE_ROLES).sort());
});

/** Whatever else a request lacks, 403 and 401 come first: any other answer means that the role was let in. */
async function isLetIn(key: string, route: string): Promise<boolean> {
  const [method = '', path = ''] = route.split(' ');
  const writes = method === 'POST' || method === 'PUT';
  const response = await fetch(new URL(path.replaceAll(/:[a-z]+/g, 'none'), running.url), {
    method,
    headers: { authorization: `Bearer ${key}`, ...(writes ? { 'content-type': 'application/json' } : {}) },
    ...(writes ? { body: '{"nothing":1}' } : {}),
  });
  // Some answers have no end.
  await response.body?.cancel();
  expect([200, 201, 400, 401, 403, 404, 422]).toContain(response.status);
  return response.status !== 401 && response.status !== 403;
}

describe.each(documented())('$route', ({ route, allowed }) => {
  it.each(ROLES.map((role, column) => [role, allowed[column] ?? false] as const))('%s: %s', async (role, expected) => {
    expect(await isLetIn(keys.get(role) ?? '', route)).toBe(expected);
  });

  it('without a key', async () => {
    expect(await isLetIn('none', route)).toBe(allowed[ROLES.length]);
  });
});
