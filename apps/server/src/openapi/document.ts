import { operationOf, templateOf } from './operation.js';
import { TAGS, type Named, type RouteEntry } from './route-entry.js';
import { SHARED } from './schemas.js';
import { toComponents } from './to-schemas.js';

const DESCRIPTION = `The receipt ledger for AI agents that use tools: for every tool call, the exact call, the operation that was authorised, who approved it,
what happened, and what proves it.

Receipts do not complete tasks. A task is completed by a command of its own that names, for each criterion, the evidence that meets it.

A problem answer (RFC 9457) means that nothing was recorded, with one exception: \`outcome_unknown\`. A refusal that is recorded is no problem
but an answer whose call has \`status: "rejected"\`. Positions are tokens: send one back as it came.`;

/** The description of the API as an OpenAPI 3.0.3 document. Pure: the same entries give the same document. */
export function describeApi(entries: readonly RouteEntry[], version: string): Readonly<Record<string, unknown>> {
  const bodies = entries.flatMap(({ body }) => body ?? []);
  const answers = entries.flatMap((entry) => Object.values(entry.answers).flatMap(({ content }) => ('name' in content ? [content] : [])));
  requireApart(bodies, [...SHARED, ...answers]);
  return {
    openapi: '3.0.3',
    info: { title: 'Counterfoil', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(entries),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key of the ledger.' } },
      schemas: { ...toComponents(bodies, 'input'), ...toComponents([...SHARED, ...answers], 'output') },
    },
  };
}

function pathsOf(entries: readonly RouteEntry[]): Readonly<Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const entry of entries) {
    const [method = '', path = ''] = entry.route.split(' ');
    (paths[templateOf(path)] ??= {})[method.toLowerCase()] = operationOf(entry);
  }
  return paths;
}

/** What comes in and what goes out differ even where one schema says both: defaults, transforms, unknown members. */
function requireApart(bodies: readonly Named[], answers: readonly Named[]): void {
  const names = new Set(answers.map(({ name }) => name));
  const shared = bodies.find(({ name }) => names.has(name));
  if (shared !== undefined) throw new Error(`a body and an answer are named ${shared.name}`);
}
