import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { DenyApprovalHandler, GrantApprovalHandler } from './approvals/handlers.js';
import { FindApprovalsHandler, GetApprovalHandler } from './approvals/queries.js';
import { HealthController } from './health/health.controller.js';
import { AccessGuard } from './http/access.guard.js';
import { ProblemFilter } from './http/problem.filter.js';
import { CreateKeyHandler, ListKeysHandler, RevokeKeyHandler } from './keys/handlers.js';
import { KeysController } from './keys/keys.controller.js';
import { FindReceiptsHandler, GetReceiptHandler } from './receipts/queries.js';
import { ReceiptsController } from './receipts/receipts.controller.js';
import { LOGGER, type Logger } from './runtime/logger.js';
import { ProjectionsService } from './runtime/projections.service.js';
import { ReadDesk } from './runtime/read-desk.js';
import { Shutdown } from './runtime/shutdown.js';
import { SweeperService } from './runtime/sweeper.service.js';
import { CloseSessionHandler, OpenSessionHandler } from './sessions/handlers.js';
import { FindSessionsHandler, GetSessionHandler } from './sessions/queries.js';
import { SessionDesk } from './sessions/session-desk.js';
import { SessionsController } from './sessions/sessions.controller.js';
import {
  CancelToolCallHandler,
  DispatchToolCallHandler,
  ExtendLeaseHandler,
  ReportResultHandler,
  RequestToolCallHandler,
} from './tool-calls/handlers.js';
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
  GrantApprovalHandler,
  DenyApprovalHandler,
  CreateKeyHandler,
  RevokeKeyHandler,
];

const QUERY_HANDLERS = [
  FindSessionsHandler,
  GetSessionHandler,
  GetToolCallHandler,
  FindApprovalsHandler,
  GetApprovalHandler,
  FindReceiptsHandler,
  GetReceiptHandler,
  ListKeysHandler,
];

@Module({})
export class AppModule {
  /** The ledger is opened before Nest starts, so that a ledger that can't be opened ends the process with one clear sentence. */
  static of(ledger: Ledger, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      controllers: [SessionsController, ToolCallsController, ApprovalsController, ReceiptsController, KeysController, HealthController],
      providers: [
        { provide: LEDGER, useValue: ledger },
        { provide: LOGGER, useValue: logger },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Shutdown,
        SessionDesk,
        ReadDesk,
        ProjectionsService,
        SweeperService,
        ...COMMAND_HANDLERS,
        ...QUERY_HANDLERS,
      ],
    };
  }
}
