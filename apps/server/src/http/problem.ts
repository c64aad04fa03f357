import type { FastifyReply } from 'fastify';
import { PROBLEMS, type ProblemCode } from '@counterfoil/contracts';

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

export function sendProblem(reply: FastifyReply, answer: Problem): FastifyReply {
  if (answer.status === 503) void reply.header('retry-after', '1');
  if (answer.status === 401) void reply.header('www-authenticate', 'Bearer');
  return reply.status(answer.status).header('content-type', PROBLEM_TYPE).send(JSON.stringify(answer));
}
