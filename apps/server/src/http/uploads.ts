import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '@counterfoil/contracts';

/** Routes that take their body as it comes, however long it is. Bodies of all others are read whole, up to the limit. */
const UPLOADS: ReadonlySet<string> = new Set(['POST /v1/imports']);

/** What an upload may be said to hold. What it holds its content says. */
export const UPLOAD_TYPES = [
  'application/json',
  'application/x-ndjson',
  'application/jsonl',
  'application/gzip',
  'application/octet-stream',
  'text/plain',
] as const;

/** gzip is found out by the content, so that a file that is sent as it lies needs no header. */
const ENCODINGS: ReadonlySet<string> = new Set(['', 'identity', 'gzip', 'x-gzip']);

/** Under which type Fastify meets all uploads. */
const AS_IT_COMES = 'application/vnd.counterfoil.upload';

export const isUpload = ({ method, routeOptions }: FastifyRequest): boolean => UPLOADS.has(`${method} ${routeOptions.url ?? ''}`);

/** Has uploads handed on as streams: nothing is read of them before their handler does. To be called where the key was found good. */
export function addUploads(fastify: Pick<FastifyInstance, 'addContentTypeParser'>): void {
  fastify.addContentTypeParser(AS_IT_COMES, (request, payload, done) => {
    if (isUpload(request)) done(null, payload);
    else done(unsupported());
  });
}

/**
 * Makes an upload's type the one under which it is handed on. Fastify chooses how a body is read by its type alone, and JSON is read
 * whole everywhere else.
 *
 * @throws DomainError `unsupported_media_type`
 */
export function takeAsUpload({ headers }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type === undefined) return;
  const [essence = ''] = type.split(';');
  if (!UPLOAD_TYPES.some((known) => known === essence.trim().toLowerCase())) throw unsupported();
  if (!ENCODINGS.has((headers['content-encoding'] ?? '').trim().toLowerCase())) throw unsupported();
  headers['content-type'] = AS_IT_COMES;
}

const unsupported = (): DomainError =>
  new DomainError('unsupported_media_type', `An upload is one of: ${UPLOAD_TYPES.join(', ')}; compressed by gzip, or not at all.`);
