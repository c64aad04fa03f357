import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { uuidV7 } from '@counterfoil/canonical';
import { DomainError, type AccessScope, type ImportView } from '@counterfoil/contracts';
import { finishRun, HistoryImportError, importSource, type ImportContext, type ImportReport } from '@counterfoil/history';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { secretRuleOf } from '@counterfoil/redaction';
import { Metrics } from '../metrics/metrics.js';
import { watchKey } from '../runtime/key-watch.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { Shutdown } from '../runtime/shutdown.js';
import type { ImportQuery, RunImportCommand } from './commands.js';
import { failureOf, problemOfFailure, type ImportFailure } from './failures.js';
import { ImportRuns, type RunningImport } from './import-runs.js';
import { Upload } from './upload.js';
import { beginningView, reportView } from './views.js';

/** An upload from which nothing comes for so long is given up. */
const IDLE_MS = 60_000;

/** What POST /v1/imports answers. */
export interface ImportAnswer extends ImportView {
  /** Events that the import added; of a dry run, that it would have added. */
  readonly eventsAdded: number;
  /** Holds everything that was imported; null where the store can't be asked any more. */
  readonly position: string | null;
}

/** How an import went, as far as it went. */
interface Went {
  readonly report: ImportReport;
  readonly failure: ImportFailure | null;
}

/** Where imports over HTTP are run. */
@Injectable()
export class ImportDesk {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(ImportRuns) private readonly runs: ImportRuns,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Imports a body as it comes. Nothing of it is read before the import may begin. Resolves when it has ended: at the body's end, when
   * the client or its key goes, or when the server stops; what was counted is stored then.
   *
   * @throws DomainError `identifier_is_secret`, `import_running`, `too_many_imports`; `import_unreadable`, `outcome_unknown`, `ledger_sealed`,
   * `internal` where nothing was recorded
   */
  async run(command: RunImportCommand): Promise<ImportAnswer> {
    const { scope, query } = command;
    refuseSecrets(query);
    const dryRun = query.dryRun === 'true';
    const importRun = query.run ?? uuidV7(Date.now());
    const running = this.runs.begin(scope.workspaceId, importRun, () => beginningView(importRun, scope.principal, dryRun));
    let view: ImportView | null = null;
    try {
      const { report, failure } = await this.follow(command, this.contextOf(scope, query, importRun), running);
      const state = failure !== null ? 'failed' : report.interrupted ? 'interrupted' : 'finished';
      view = reportView(report, { state, by: scope.principal, finishedAt: new Date().toISOString(), error: failure });
      if (!dryRun) this.metrics.imported(view.totals);
      if (failure !== null && (dryRun || report.eventsAdded === 0)) throw problemOfFailure(failure);
      return { ...view, eventsAdded: report.eventsAdded, position: await this.head() };
    } finally {
      running.end(view);
    }
  }

  private contextOf(scope: AccessScope, { user, session }: ImportQuery, importRun: string): ImportContext {
    return {
      workspaceId: scope.workspaceId,
      actor: { principal: scope.principal, keyId: scope.keyId },
      importKey: this.ledger.keys.importKey,
      importRun,
      given: { userId: user ?? null, sessionId: session ?? null },
      now: Date.now,
    };
  }

  /** Imports, and leaves the run's trace. Whatever fails, what was counted is told. */
  private async follow(command: RunImportCommand, context: ImportContext, running: RunningImport): Promise<Went> {
    const went = await this.take(command, context, running);
    try {
      const failedInputs = went.failure === null ? 0 : 1;
      await finishRun(this.ledger.store, context, { report: went.report, inputs: 1, failedInputs });
      return went;
    } catch (error) {
      return { report: went.report, failure: went.failure ?? this.failed(error, command) };
    }
  }

  private async take(command: RunImportCommand, context: ImportContext, running: RunningImport): Promise<Went> {
    const { scope, query, body } = command;
    const key = watchKey(this.ledger.access, scope.keyId);
    const signal = AbortSignal.any([this.shutdown.signal, key.revoked]);
    const upload = body === null ? null : new Upload(body, { idleMs: IDLE_MS, signal });
    try {
      const report = await importSource(upload ?? Readable.from([]), {
        ...context,
        store: this.ledger.store,
        format: query.format ?? 'auto',
        dryRun: query.dryRun === 'true',
        signal: upload?.signal ?? signal,
        onStart: (soFar) => {
          running.follow(() => reportView(soFar(), { state: 'running', by: scope.principal, finishedAt: null, error: null }));
        },
      });
      return { report, failure: null };
    } catch (error) {
      if (!(error instanceof HistoryImportError)) throw error;
      // What a stop cuts off reads like damage.
      const isStop = upload?.signal.aborted === true && failureOf(error).code === 'import_unreadable';
      if (isStop) return { report: { ...error.report, interrupted: true }, failure: null };
      return { report: error.report, failure: this.failed(error, command) };
    } finally {
      key.end();
    }
  }

  private failed(error: unknown, { correlationId }: RunImportCommand): ImportFailure {
    const failure = failureOf(error);
    if (failure.code !== 'import_unreadable') {
      const cause = error instanceof HistoryImportError ? error.cause : error;
      this.logger.error('an import failed', { correlationId, code: failure.code, error: cause });
    }
    return failure;
  }

  private async head(): Promise<string | null> {
    try {
      return this.ledger.token(await this.ledger.store.head());
    } catch {
      return null;
    }
  }
}

function refuseSecrets(query: ImportQuery): void {
  for (const field of ['run', 'user', 'session'] as const) {
    const value = query[field];
    if (value !== undefined && secretRuleOf(value) !== null)
      throw new DomainError('identifier_is_secret', `\`${field}\` looks like a secret.`, { field });
  }
}
