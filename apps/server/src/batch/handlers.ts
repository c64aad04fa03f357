import { Inject } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { BatchItem, type BatchAnswer, type CallAnswer } from '@counterfoil/contracts';
import { validate } from '../http/json-body.pipe.js';
import { problem, problemOf } from '../http/problem.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { SessionDesk } from '../sessions/session-desk.js';
import { BatchCommand } from './commands.js';
import { commandOf } from './item-commands.js';

type Answer = BatchAnswer['answers'][number];

/**
 * Does what the items say, one after another, each as its own route would: every item stands for itself and has its own answer. Where
 * one got no answer from the ledger (5xx), what follows may rest on it and isn't tried. The whole batch may be sent again: what was
 * recorded is recognised, item by item (promise 2).
 */
@CommandHandler(BatchCommand)
export class BatchHandler implements ICommandHandler<BatchCommand> {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SessionDesk) private readonly desk: SessionDesk,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws DomainError `not_found` for a session that the caller doesn't reach */
  async execute(batch: BatchCommand): Promise<BatchAnswer> {
    await this.desk.requireOwn(batch.scope, batch.sessionId);
    const answers: Answer[] = [];
    for (const item of batch.body.items) {
      const isStopped = (answers.at(-1)?.status ?? 200) >= 500;
      answers.push(isStopped ? stopped(batch) : await this.answer(batch, item));
    }
    return { answers };
  }

  private async answer(batch: BatchCommand, item: unknown): Promise<Answer> {
    try {
      const command = commandOf(batch, validate(BatchItem, item));
      const { added, ...body } = await this.commands.execute<typeof command, CallAnswer & { added?: number }>(command);
      return { status: (added ?? 0) > 0 ? 201 : 200, body };
    } catch (error) {
      const body = problemOf(error, correlationOf(batch));
      if (body.status >= 500) this.logger.error('an item of a batch failed', { correlationId: body.correlationId, code: body.code, error });
      return { status: body.status, body };
    }
  }
}

function stopped(batch: BatchCommand): Answer {
  const body = problem('batch_stopped', 'It was not tried, since an item before it got no answer.', correlationOf(batch));
  return { status: body.status, body };
}

const correlationOf = ({ origin }: BatchCommand): string => origin.correlationId ?? '';
