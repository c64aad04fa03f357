import { readFileSync } from 'node:fs';
import type { Role } from '@counterfoil/contracts';
import { ROUTE_ROLES } from '../apps/server/src/http/route-roles.js';
import { Http } from './demo/agent.js';
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
const clients = new Map<Role, Http>();

beforeAll(async () => {
  running = await startLedger();
  for (const role of ROLES) clients.set(role, await running.client(role === 'agent' ? 'agent:walker' : `person:${role}`, [role]));
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
async function isLetIn(http: Http, route: string): Promise<boolean> {
  const [method = '', path = ''] = route.split(' ');
  const { status } = await http.raw(
    method,
    path.replace(':s', 'none').replace(':id', 'none'),
    method === 'POST' ? '{"nothing":1}' : undefined,
  );
  expect([200, 201, 400, 401, 403, 404, 422]).toContain(status);
  return status !== 401 && status !== 403;
}

describe.each(documented())('$route', ({ route, allowed }) => {
  it.each(ROLES.map((role, column) => [role, allowed[column] ?? false] as const))('%s: %s', async (role, expected) => {
    const http = clients.get(role);
    if (http === undefined) throw new Error('no client');
    expect(await isLetIn(http, route)).toBe(expected);
  });

  it('without a key', async () => {
    expect(await isLetIn(new Http(running.url, 'none'), route)).toBe(allowed[ROLES.length]);
  });
});
