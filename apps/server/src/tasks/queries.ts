import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, PlanId, type AccessScope } from '@counterfoil/contracts';
import type { ReadModels } from '@counterfoil/ledger';
import {
  findImportedTasks,
  findTasks,
  getSession,
  readTask,
  splitImportedTaskQuery,
  splitTaskQuery,
  TaskListQuery,
  type ReadScope,
} from '@counterfoil/read-models';
import { z } from 'zod';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk, readScope, streamsOf } from '../runtime/read-desk.js';

export class FindTasksQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

export class GetTaskQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly sessionId: string,
    readonly taskId: string,
    readonly query: unknown,
  ) {}
}

@QueryHandler(FindTasksQuery)
export class FindTasksHandler implements IQueryHandler<FindTasksQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindTasksQuery): Promise<unknown> {
    const asked = validatedQuery(TaskListQuery, query);
    const models = await this.desk.models(minPosition);
    if (asked.provenance === 'imported') return this.imported(scope, models, asked);
    const { filters, page } = splitTaskQuery(asked);
    return this.desk.page(scope, await findTasks(models, readScope(scope), filters, this.desk.place(page)), models, (task) =>
      this.desk.task(task),
    );
  }

  private async imported(scope: AccessScope, models: ReadModels, asked: TaskListQuery): Promise<unknown> {
    const { filters, page } = splitImportedTaskQuery(asked);
    return this.desk.page(scope, await findImportedTasks(models, readScope(scope), filters, this.desk.place(page)), models, (task) =>
      this.desk.importedTask(task),
    );
  }
}

export const GetTaskParams = z.strictObject({ plan: PlanId.optional() });

@QueryHandler(GetTaskQuery)
export class GetTaskHandler implements IQueryHandler<GetTaskQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, sessionId, taskId, query }: GetTaskQuery): Promise<unknown> {
    const { plan } = validatedQuery(GetTaskParams, query);
    const models = await this.desk.models(minPosition, streamsOf(scope, sessionId));
    const planId = plan ?? (await activePlan(models, readScope(scope), sessionId));
    const task = planId === null ? null : await readTask(models, readScope(scope), { sessionId, planId, taskId });
    if (task === null) throw new DomainError('not_found', 'There is no such task.');
    return this.desk.task(task);
  }
}

async function activePlan(models: ReadModels, scope: ReadScope, sessionId: string): Promise<string | null> {
  return (await getSession(models.sessions, scope, sessionId))?.activePlanId ?? null;
}
