import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CallAnswer } from '@counterfoil/contracts';
import { receiptIdOf, type SessionCommand } from '@counterfoil/session';
import { SessionDesk } from '../sessions/session-desk.js';
import {
  CancelToolCallCommand,
  DispatchToolCallCommand,
  ExtendLeaseCommand,
  ObserveToolCallCommand,
  ReportResultCommand,
  RequestToolCallCommand,
  type CallTarget,
} from './commands.js';
import { textInput, toDispatch, toObserve, toReport, toRequest } from './domain-commands.js';

@CommandHandler(RequestToolCallCommand)
export class RequestToolCallHandler implements ICommandHandler<RequestToolCallCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, body }: RequestToolCallCommand): Promise<CallAnswer & { readonly added: number }> {
    const command = toRequest(body);
    return this.desk.onCall(scope, origin, sessionId, command, ({ identity }) =>
      identity === null ? null : receiptIdOf(identity, command),
    );
  }
}

@CommandHandler(ObserveToolCallCommand)
export class ObserveToolCallHandler implements ICommandHandler<ObserveToolCallCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, body }: ObserveToolCallCommand): Promise<CallAnswer & { readonly added: number }> {
    const command = toObserve(body);
    return this.desk.onCall(scope, origin, sessionId, command, ({ identity }) =>
      identity === null ? null : receiptIdOf(identity, command),
    );
  }
}

@CommandHandler(DispatchToolCallCommand)
export class DispatchToolCallHandler implements ICommandHandler<DispatchToolCallCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ target, body }: DispatchToolCallCommand): Promise<CallAnswer> {
    return answer(this.desk, target, toDispatch(target.receiptId, body));
  }
}

@CommandHandler(ReportResultCommand)
export class ReportResultHandler implements ICommandHandler<ReportResultCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ target, body }: ReportResultCommand): Promise<CallAnswer> {
    return answer(this.desk, target, toReport(target.receiptId, body));
  }
}

@CommandHandler(CancelToolCallCommand)
export class CancelToolCallHandler implements ICommandHandler<CancelToolCallCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ target, body }: CancelToolCallCommand): Promise<CallAnswer> {
    return answer(this.desk, target, { type: 'CancelToolCall', receiptId: target.receiptId, reason: textInput(body.reason) });
  }
}

@CommandHandler(ExtendLeaseCommand)
export class ExtendLeaseHandler implements ICommandHandler<ExtendLeaseCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ target, body }: ExtendLeaseCommand): Promise<CallAnswer> {
    const { receiptId } = target;
    return answer(this.desk, target, { type: 'ExtendLease', receiptId, attempt: body.attempt, leaseSeconds: body.leaseSeconds ?? null });
  }
}

async function answer(desk: SessionDesk, target: CallTarget, command: SessionCommand): Promise<CallAnswer> {
  const { added: _added, ...call } = await desk.onCall(target.scope, target.origin, target.sessionId, command, () => target.receiptId);
  return call;
}
