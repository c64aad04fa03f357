import {
  ApprovalId,
  EvidenceId,
  ImportRunId,
  KeyId,
  PlanId,
  PROBLEMS,
  ReceiptId,
  SessionId,
  TaskId,
  type ProblemCode,
} from '@counterfoil/contracts';
import { z } from 'zod';
import { ROUTE_ROLES } from '../http/route-roles.js';
import type { AnswerEntry, RouteEntry } from './route-entry.js';
import { referenceTo, toSchema, type SchemaObject } from './to-schemas.js';

/** What a parameter of a path is; `id` depends on the path. */
const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = { s: SessionId, p: PlanId, t: TaskId, e: EvidenceId };
const IDS: readonly (readonly [string, z.ZodType])[] = [
  ['/imported-tasks/', z.string().meta({ description: 'The key of the record that was imported.' })],
  ['/imports/', ImportRunId],
  ['/approvals/', ApprovalId],
  ['/keys/', KeyId],
  ['/', ReceiptId],
];

/** One operation, as OpenAPI 3.0.3 has it. */
export function operationOf(entry: RouteEntry): Readonly<Record<string, unknown>> {
  const access = ROUTE_ROLES[entry.route];
  const isPublic = access === 'public' || access === undefined;
  return {
    operationId: entry.id,
    tags: [entry.tag],
    summary: entry.summary,
    description: [entry.description, isPublic ? 'Needs no key.' : `Needs a key with one of the roles: ${access.join(', ')}.`]
      .filter((part) => part !== undefined)
      .join('\n\n'),
    'x-roles': isPublic ? [] : access,
    security: isPublic ? [] : [{ key: [] }],
    parameters: [...pathParameters(entry.route), ...queryParameters(entry.query), ...headerParameters(entry)],
    ...requestBodyOf(entry),
    responses: { ...answersOf(entry.answers), ...problemsOf(problemCodes(entry, isPublic)) },
  };
}

function requestBodyOf({ body, upload }: RouteEntry): Readonly<Record<string, unknown>> {
  if (body !== undefined) return { requestBody: { required: true, content: { 'application/json': { schema: referenceTo(body) } } } };
  if (upload === undefined) return {};
  const schemaOf = (type: string): SchemaObject => (type === 'application/json' ? {} : { type: 'string', format: 'binary' });
  const content = Object.fromEntries(upload.map((type) => [type, { schema: schemaOf(type) }]));
  return { requestBody: { required: false, content } };
}

/** `/v1/sessions/:s` as OpenAPI writes it. */
export const templateOf = (path: string): string => path.replaceAll(/:([a-z]+)/g, '{$1}');

function pathParameters(route: string): readonly object[] {
  return [...route.matchAll(/:([a-z]+)/g)].map(([, name = '']) => {
    const schema = PATH_PARAMETERS[name] ?? IDS.find(([part]) => route.includes(part))?.[1];
    return { name, in: 'path', required: true, schema: schema === undefined ? { type: 'string' } : toSchema(schema) };
  });
}

function queryParameters(query: z.ZodObject | undefined): readonly object[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toSchema(query) as {
    readonly properties?: Readonly<Record<string, SchemaObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }));
}

function headerParameters({ headers = [] }: RouteEntry): readonly object[] {
  return headers.map(({ name, description }) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } }));
}

function answersOf(answers: RouteEntry['answers']): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, content }]) => [status, { description, content: contentOf(content) }]),
  );
}

function contentOf(content: AnswerEntry['content']): object {
  return 'name' in content
    ? { 'application/json': { schema: referenceTo(content) } }
    : { [content.mediaType]: { schema: { type: 'string' } } };
}

/** Those that any route of its kind answers, and its own. */
function problemCodes({ route, query, body, upload, problems = [] }: RouteEntry, isPublic: boolean): ReadonlySet<ProblemCode> {
  const codes: ProblemCode[] = ['internal'];
  if (!isPublic) codes.push('unauthenticated', 'forbidden', 'store_unavailable');
  if (route.includes(':')) codes.push('not_found');
  if (query !== undefined || body !== undefined) codes.push('invalid_request');
  if (upload !== undefined) codes.push('unsupported_media_type');
  if (body !== undefined)
    codes.push(
      'malformed_json',
      'invalid_utf8',
      'body_anomaly',
      'body_too_deep',
      'body_too_many_values',
      'body_too_large',
      'unsupported_media_type',
    );
  return new Set([...codes, ...problems]);
}

/** Problems of one status share an answer, which lists their codes. */
function problemsOf(codes: ReadonlySet<ProblemCode>): Readonly<Record<string, object>> {
  const lines = new Map<number, string[]>();
  for (const code of [...codes].toSorted()) {
    const { status, title } = PROBLEMS[code];
    lines.set(status, [...(lines.get(status) ?? []), `- \`${code}\`: ${title}`]);
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries([...lines].map(([status, ofStatus]) => [String(status), { description: ofStatus.join('\n'), content }]));
}
