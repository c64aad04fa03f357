import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { DenyApprovalHandler, GrantApprovalHandler } from './approvals/handlers.js';
import { FindApprovalsHandler, GetApprovalHandler } from './approvals/queries.js';
import { BatchController } from './batch/batch.controller.js';
import { BatchHandler } from './batch/handlers.js';
import { EvidenceController } from './evidence/evidence.controller.js';
import { RecordEvidenceHandler } from './evidence/handlers.js';
import { HealthController } from './health/health.controller.js';
import { AccessGuard } from './http/access.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { ImportedTasksController } from './imported-tasks/imported-tasks.controller.js';
import { GetImportedTaskHandler } from './imported-tasks/queries.js';
import { CreateKeyHandler, ListKeysHandler, RevokeKeyHandler } from './keys/handlers.js';
import { RunImportHandler } from './imports/handlers.js';
import { ImportDesk } from './imports/import-desk.js';
import { ImportRuns } from './imports/import-runs.js';
import { ImportsController } from './imports/imports.controller.js';
import { FindImportsHandler, FindQuarantinedHandler, GetImportHandler } from './imports/queries.js';
import { KeysController } from './keys/keys.controller.js';
import { ReportLegacyExecutionHandler } from './legacy/handlers.js';
import { LegacyExecutionsController } from './legacy/legacy-executions.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { Metrics } from './metrics/metrics.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ActivatePlanHandler, ClosePlanHandler } from './plans/handlers.js';
import { PlansController } from './plans/plans.controller.js';
import { FindPlansHandler, GetPlanHandler } from './plans/queries.js';
import { GetPolicyHandler, SetPolicyHandler } from './policy/handlers.js';
import { PolicyController } from './policy/policy.controller.js';
import { FindCopiesHandler } from './receipt-copies/queries.js';
import { ReceiptCopiesController } from './receipt-copies/receipt-copies.controller.js';
import { FindReceiptsHandler, GetReceiptHandler } from './receipts/queries.js';
import { ReceiptsController } from './receipts/receipts.controller.js';
import { LiveFeed } from './runtime/live-feed.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { ProjectionsService } from './runtime/projections.service.js';
import { ReadDesk } from './runtime/read-desk.js';
import { Shutdown } from './runtime/shutdown.js';
import { SweeperService } from './runtime/sweeper.service.js';
import { CloseSessionHandler, OpenSessionHandler } from './sessions/handlers.js';
import { FindSessionsHandler, GetSessionHandler } from './sessions/queries.js';
import { SessionDesk } from './sessions/session-desk.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { DocumentReader } from './stream/document-reader.js';
import { StreamDesk } from './stream/stream-desk.js';
import { StreamLimit } from './stream/stream-limit.js';
import { StreamController } from './stream/stream.controller.js';
import { AddTaskHandler, ChangeTaskHandler, CompleteTaskHandler } from './tasks/handlers.js';
import { FindTasksHandler, GetTaskHandler } from './tasks/queries.js';
import { TaskCommandsController } from './tasks/task-commands.controller.js';
import { TasksController } from './tasks/tasks.controller.js';
import { RegisterToolHandler, RetireToolHandler } from './tools/handlers.js';
import { FindToolsHandler } from './tools/queries.js';
import { ToolsController } from './tools/tools.controller.js';
import {
  CancelToolCallHandler,
  DispatchToolCallHandler,
  ExtendLeaseHandler,
  ObserveToolCallHandler,
  ReportResultHandler,
  RequestToolCallHandler,
} from './tool-calls/handlers.js';
import { ObservedCallsController } from './tool-calls/observed-calls.controller.js';
import { GetToolCallHandler } from './tool-calls/queries.js';
import { ToolCallsController } from './tool-calls/tool-calls.controller.js';

const COMMAND_HANDLERS = [
  OpenSessionHandler,
  CloseSessionHandler,
  RequestToolCallHandler,
  DispatchToolCallHandler,
  ReportResultHandler,
  CancelToolCallHandler,
  ExtendLeaseHandler,
  ObserveToolCallHandler,
  ReportLegacyExecutionHandler,
  BatchHandler,
  ActivatePlanHandler,
  ClosePlanHandler,
  AddTaskHandler,
  ChangeTaskHandler,
  CompleteTaskHandler,
  RecordEvidenceHandler,
  RegisterToolHandler,
  RetireToolHandler,
  SetPolicyHandler,
  GrantApprovalHandler,
  DenyApprovalHandler,
  RunImportHandler,
  CreateKeyHandler,
  RevokeKeyHandler,
];

const QUERY_HANDLERS = [
  FindSessionsHandler,
  GetSessionHandler,
  GetToolCallHandler,
  FindPlansHandler,
  GetPlanHandler,
  FindTasksHandler,
  GetTaskHandler,
  GetImportedTaskHandler,
  FindToolsHandler,
  GetPolicyHandler,
  FindApprovalsHandler,
  GetApprovalHandler,
  FindReceiptsHandler,
  GetReceiptHandler,
  FindCopiesHandler,
  FindImportsHandler,
  GetImportHandler,
  FindQuarantinedHandler,
  ListKeysHandler,
];

@Module({})
export class AppModule {
  /** The ledger is opened before Nest starts, so that a ledger that can't be opened ends the process with one clear sentence. */
  static of(ledger: Ledger, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      controllers: [
        SessionsController,
        ToolCallsController,
        ObservedCallsController,
        LegacyExecutionsController,
        BatchController,
        PlansController,
        TaskCommandsController,
        TasksController,
        ImportedTasksController,
        EvidenceController,
        ToolsController,
        PolicyController,
        ApprovalsController,
        ReceiptsController,
        ReceiptCopiesController,
        StreamController,
        ImportsController,
        KeysController,
        HealthController,
        MetricsController,
        OpenApiController,
      ],
      providers: [
        { provide: LEDGER, useValue: ledger },
        { provide: LOGGER, useValue: logger },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Shutdown,
        LiveFeed,
        SessionDesk,
        ReadDesk,
        DocumentReader,
        StreamLimit,
        StreamDesk,
        ImportRuns,
        ImportDesk,
        Metrics,
        ProjectionsService,
        SweeperService,
        ...COMMAND_HANDLERS,
        ...QUERY_HANDLERS,
      ],
    };
  }
}
