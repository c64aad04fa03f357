import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope, type ImportView } from '@counterfoil/contracts';
import type { ReadModels } from '@counterfoil/ledger';
import {
  countQuarantined,
  findImports,
  findQuarantined,
  getImport,
  ImportListQuery,
  QuarantineListQuery,
  splitQuarantineQuery,
} from '@counterfoil/read-models';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk } from '../runtime/read-desk.js';
import { ImportRuns } from './import-runs.js';
import { documentView } from './views.js';

export class FindImportsQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

export class GetImportQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly run: string,
  ) {}
}

export class FindQuarantinedQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly run: string,
    readonly query: unknown,
  ) {}
}

const missing = (): DomainError => new DomainError('not_found', 'There is no such import.');

@QueryHandler(FindImportsQuery)
export class FindImportsHandler implements IQueryHandler<FindImportsQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindImportsQuery): Promise<unknown> {
    const page = validatedQuery(ImportListQuery, query);
    const models = await this.desk.models(minPosition);
    return this.desk.page(scope, await findImports(models.imports, scope, this.desk.place(page)), models, documentView);
  }
}

/** What this process knows of an import comes first: of one that runs, and of how one ended that the ledger knows less of. */
@QueryHandler(GetImportQuery)
export class GetImportHandler implements IQueryHandler<GetImportQuery> {
  constructor(
    @Inject(ReadDesk) private readonly desk: ReadDesk,
    @Inject(ImportRuns) private readonly runs: ImportRuns,
  ) {}

  async execute({ scope, minPosition, run }: GetImportQuery): Promise<ImportView> {
    const here = this.runs.find(scope.workspaceId, run);
    if (here !== null) return here;
    const models = await this.desk.models(minPosition);
    const doc = await getImport(models.imports, scope, run);
    await this.desk.refuseParked(scope, models, minPosition, (stream) => stream === `import-${scope.workspaceId}/${run}`);
    if (doc === null) throw missing();
    return documentView(doc);
  }
}

@QueryHandler(FindQuarantinedQuery)
export class FindQuarantinedHandler implements IQueryHandler<FindQuarantinedQuery> {
  constructor(
    @Inject(ReadDesk) private readonly desk: ReadDesk,
    @Inject(ImportRuns) private readonly runs: ImportRuns,
  ) {}

  async execute({ scope, minPosition, run, query }: FindQuarantinedQuery): Promise<unknown> {
    const { filters, page } = splitQuarantineQuery(run, validatedQuery(QuarantineListQuery, query));
    const models = await this.desk.models(minPosition);
    const found = await findQuarantined(models.quarantine, scope, filters, this.desk.place(page));
    if (found.items.length === 0 && !(await this.isKnown(scope, models, run))) throw missing();
    return this.desk.page(scope, found, models, (doc) => this.desk.quarantined(doc));
  }

  /** An import that was killed before its end has left nothing but its records. */
  private async isKnown(scope: AccessScope, { imports, quarantine }: ReadModels, run: string): Promise<boolean> {
    if (this.runs.find(scope.workspaceId, run) !== null || (await getImport(imports, scope, run)) !== null) return true;
    return (await countQuarantined(quarantine, scope, run)) > 0;
  }
}
