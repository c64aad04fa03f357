import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope } from '@counterfoil/contracts';
import { findSessions, getSession, SessionListQuery, splitSessionQuery } from '@counterfoil/read-models';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk, readScope, streamsOf } from '../runtime/read-desk.js';

export class FindSessionsQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

export class GetSessionQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly sessionId: string,
  ) {}
}

@QueryHandler(FindSessionsQuery)
export class FindSessionsHandler implements IQueryHandler<FindSessionsQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindSessionsQuery): Promise<unknown> {
    const { filters, page } = splitSessionQuery(validatedQuery(SessionListQuery, query));
    const models = await this.desk.models(minPosition);
    return this.desk.page(scope, await findSessions(models.sessions, readScope(scope), filters, this.desk.place(page)), models, (doc) =>
      this.desk.session(doc),
    );
  }
}

@QueryHandler(GetSessionQuery)
export class GetSessionHandler implements IQueryHandler<GetSessionQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, sessionId }: GetSessionQuery): Promise<unknown> {
    const models = await this.desk.models(minPosition, streamsOf(scope, sessionId));
    const doc = await getSession(models.sessions, readScope(scope), sessionId);
    if (doc === null) throw new DomainError('not_found', 'There is no such session.');
    return this.desk.session(doc);
  }
}
