import { Body, Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AddTaskBody, ChangeTaskBody, CompleteTaskBody, TaskId, type TaskAnswer } from '@counterfoil/contracts';
import type { TaskChange } from '@counterfoil/session';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { pathId } from '../http/path-id.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { AddTaskCommand, ChangeTaskCommand, CompleteTaskCommand, type TaskTarget } from './commands.js';

const CHANGE = new JsonBodyPipe(ChangeTaskBody);

/** The only routes that move a task: no call, receipt or piece of evidence does (promise 17). All speak of the active plan. */
@Controller('v1/sessions/:s/tasks')
export class TaskCommandsController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  /** 201 when it was added now, 200 when the same task is there. */
  @Post()
  async add(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(AddTaskBody)) body: AddTaskBody,
  ): Promise<unknown> {
    const command = new AddTaskCommand(scopeOf(request), originOf(request), sessionId, body);
    return created(reply, await this.commands.execute<AddTaskCommand, TaskAnswer & { added: number }>(command));
  }

  @Post(':t/start')
  @HttpCode(200)
  async start(@Req() request: LedgerRequest, @Param() params: Params, @Body(CHANGE) body: ChangeTaskBody): Promise<unknown> {
    return this.change(request, params, 'start', body);
  }

  @Post(':t/block')
  @HttpCode(200)
  async block(@Req() request: LedgerRequest, @Param() params: Params, @Body(CHANGE) body: ChangeTaskBody): Promise<unknown> {
    return this.change(request, params, 'block', body);
  }

  @Post(':t/unblock')
  @HttpCode(200)
  async unblock(@Req() request: LedgerRequest, @Param() params: Params, @Body(CHANGE) body: ChangeTaskBody): Promise<unknown> {
    return this.change(request, params, 'unblock', body);
  }

  /** Names, for each criterion, the evidence that meets it; 409 `completion_unmet` says what is missing and why (promise 15). */
  @Post(':t/complete')
  @HttpCode(200)
  async complete(
    @Req() request: LedgerRequest,
    @Param() params: Params,
    @Body(new JsonBodyPipe(CompleteTaskBody)) body: CompleteTaskBody,
  ): Promise<unknown> {
    return this.commands.execute(new CompleteTaskCommand(targetOf(request, params), body));
  }

  @Post(':t/fail')
  @HttpCode(200)
  async fail(@Req() request: LedgerRequest, @Param() params: Params, @Body(CHANGE) body: ChangeTaskBody): Promise<unknown> {
    return this.change(request, params, 'fail', body);
  }

  @Post(':t/cancel')
  @HttpCode(200)
  async cancel(@Req() request: LedgerRequest, @Param() params: Params, @Body(CHANGE) body: ChangeTaskBody): Promise<unknown> {
    return this.change(request, params, 'cancel', body);
  }

  @Post(':t/reopen')
  @HttpCode(200)
  async reopen(@Req() request: LedgerRequest, @Param() params: Params, @Body(CHANGE) body: ChangeTaskBody): Promise<unknown> {
    return this.change(request, params, 'reopen', body);
  }

  private async change(request: LedgerRequest, params: Params, change: TaskChange, body: ChangeTaskBody): Promise<unknown> {
    return this.commands.execute(new ChangeTaskCommand(targetOf(request, params), change, body));
  }
}

interface Params {
  readonly s: string;
  readonly t: string;
}

function targetOf(request: LedgerRequest, params: Params): TaskTarget {
  const taskId = pathId(TaskId, params.t, 'There is no such task in the active plan of this session.');
  return { scope: scopeOf(request), origin: originOf(request), sessionId: params.s, taskId };
}
