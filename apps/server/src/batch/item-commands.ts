import type { ICommand } from '@nestjs/cqrs';
import type { BatchItem } from '@counterfoil/contracts';
import { receiptIdOf } from '@counterfoil/session';
import { ReportLegacyExecutionCommand } from '../legacy/commands.js';
import { LEGACY_RAW } from '../legacy/raw-members.js';
import {
  CancelToolCallCommand,
  DispatchToolCallCommand,
  ExtendLeaseCommand,
  ObserveToolCallCommand,
  ReportResultCommand,
  RequestToolCallCommand,
  type CallTarget,
} from '../tool-calls/commands.js';
import { DISPATCH_RAW, OBSERVED_RAW, REQUEST_RAW, RESULT_RAW } from '../tool-calls/raw-members.js';
import type { BatchCommand } from './commands.js';

/** What stays raw in an item, whatever it does; in a place where its own route knows no such member, its schema refuses it. */
export const BATCH_RAW = [...new Set([...REQUEST_RAW, ...DISPATCH_RAW, ...RESULT_RAW, ...OBSERVED_RAW, ...LEGACY_RAW])].map(
  (path) => `items.[].body.${path}`,
);

/** The command that the item's own route would have sent. */
export function commandOf(batch: BatchCommand, item: BatchItem): ICommand {
  const { scope, origin, sessionId } = batch;
  switch (item.do) {
    case 'request':
      return new RequestToolCallCommand(scope, { ...origin, occurredAt: item.body.occurredAt ?? null }, sessionId, item.body);
    case 'observe':
      return new ObserveToolCallCommand(scope, { ...origin, occurredAt: item.body.occurredAt ?? null }, sessionId, item.body);
    case 'legacy':
      return new ReportLegacyExecutionCommand(scope, { ...origin, occurredAt: item.body.occurredAt ?? null }, sessionId, item.body);
    case 'dispatch':
      return new DispatchToolCallCommand(targetOf(batch, item), item.body);
    case 'result':
      return new ReportResultCommand(targetOf(batch, item), item.body);
    case 'cancel':
      return new CancelToolCallCommand(targetOf(batch, item), item.body);
    case 'heartbeat':
      return new ExtendLeaseCommand(targetOf(batch, item), item.body);
  }
}

type NamedItem = Exclude<BatchItem, { readonly do: 'request' | 'observe' | 'legacy' }>;

function targetOf({ scope, origin, sessionId }: BatchCommand, { receiptId, call }: NamedItem): CallTarget {
  // The schema took exactly one of them.
  const id = call === undefined ? (receiptId ?? '') : receiptIdOf({ workspaceId: scope.workspaceId, sessionId }, call);
  return { scope, origin, sessionId, receiptId: id };
}
