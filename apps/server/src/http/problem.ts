import { HttpException } from '@nestjs/common';
import { BodyError } from '@counterfoil/canonical';
import { DomainError, PROBLEMS, type ProblemCode } from '@counterfoil/contracts';
import { asDomainError } from '@counterfoil/ledger';
import type { FastifyReply } from 'fastify';

/** A problem document (RFC 9457) with our `code` and `retryable`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly advice: string;
  readonly retryable: boolean;
  readonly correlationId: string;
  readonly [extension: string]: unknown;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** @param detail our own sentence: never text of the caller's */
export function problem(
  code: ProblemCode,
  detail: string,
  correlationId: string,
  extensions: Readonly<Record<string, unknown>> = {},
): Problem {
  const { title, status, retryable, advice } = PROBLEMS[code];
  // Extensions come first, so that none can take the place of a member that the RFC or the table defines.
  return { ...extensions, type: `/errors#${code}`, title, status, code, detail, advice, retryable, correlationId };
}

/** What Fastify and Nest refuse before our code sees a request, by the status that Nest gives it. */
const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: 'malformed_json',
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** Whatever was thrown, as a problem document; a fault of ours tells the caller nothing but the correlation id. */
export function problemOf(thrown: unknown, correlationId: string): Problem {
  // A store that went away while something was read from it, too.
  const error = asDomainError(thrown);
  if (error instanceof DomainError) return problem(error.code, error.detail, correlationId, error.extensions);
  if (error instanceof BodyError) return problem(error.code, error.detail, correlationId);
  const known = error instanceof HttpException ? BY_STATUS[error.getStatus()] : undefined;
  if (known !== undefined) return problem(known, PROBLEMS[known].title, correlationId);
  return problem('internal', 'The request could not be completed.', correlationId);
}

export function sendProblem(reply: FastifyReply, answer: Problem): FastifyReply {
  if (answer.status === 503) void reply.header('retry-after', '1');
  if (answer.status === 401) void reply.header('www-authenticate', 'Bearer');
  return reply.status(answer.status).header('content-type', PROBLEM_TYPE).send(JSON.stringify(answer));
}
