import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { problemOf, sendProblem } from './problem.js';
import type { LedgerRequest } from './request.js';

/** Turns whatever was thrown into a problem document; a fault of ours tells the caller nothing but a correlation id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<LedgerRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const answer = problemOf(error, request.id);
    // A client that went away while it sent is its own matter.
    if (request.raw.destroyed && answer.code === 'internal') this.logger.debug('a client went away', { correlationId: request.id });
    else if (answer.status >= 500) this.logger.error('request failed', { correlationId: request.id, code: answer.code, error });
    void sendProblem(reply, answer);
  }
}
