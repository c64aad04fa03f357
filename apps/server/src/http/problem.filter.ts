import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { BodyError } from '@counterfoil/canonical';
import { DomainError, PROBLEMS, type ProblemCode } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { LOGGER, type Logger } from '../runtime/logger.js';
import { problem, sendProblem, type Problem } from './problem.js';
import type { LedgerRequest } from './request.js';

/** What Fastify and Nest refuse before our code sees a request, by the status that Nest gives it. */
const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: 'malformed_json',
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** Turns whatever was thrown into a problem document; a fault of ours tells the caller nothing but a correlation id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<LedgerRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const answer = this.toProblem(error, request);
    // A client that went away while it sent is its own matter.
    if (request.raw.destroyed && answer.code === 'internal') this.logger.debug('a client went away', { correlationId: request.id });
    else if (answer.status >= 500) this.logger.error('request failed', { correlationId: request.id, code: answer.code, error });
    void sendProblem(reply, answer);
  }

  private toProblem(error: unknown, request: LedgerRequest): Problem {
    if (error instanceof DomainError) return problem(error.code, error.detail, request.id, error.extensions);
    if (error instanceof BodyError) return problem(error.code, error.detail, request.id);
    const known = error instanceof HttpException ? BY_STATUS[error.getStatus()] : undefined;
    if (known !== undefined) return problem(known, PROBLEMS[known].title, request.id);
    return problem('internal', 'The request could not be completed.', request.id);
  }
}
