import type { z } from 'zod';
import type { NewEvent, RecordedEvent } from '../envelope.js';
import { LedgerSealed, PrincipalKeyCreated, PrincipalKeyRevoked } from './access-events.js';
import {
  ApprovalDenied,
  ApprovalExpired,
  ApprovalGranted,
  ApprovalRequested,
  ApprovalVoided,
  CancelRequested,
  LateResultRecorded,
  LeaseExtended,
  ToolCallAmended,
  ToolCallCancelled,
  ToolCallObserved,
  ToolCallRejected,
  ToolCallRequested,
  ToolDispatched,
  ToolExecuted,
  ToolOutcomeLost,
} from './call-events.js';
import {
  HistoricalCopyImported,
  HistoricalReceiptImported,
  HistoricalRecordQuarantined,
  HistoricalTaskImported,
  HistoricalTransitionImported,
  ImportFinished,
} from './history-events.js';
import {
  EvidenceRecorded,
  TaskAdded,
  TaskBlocked,
  TaskCancelled,
  TaskFailed,
  TaskReopened,
  TaskStarted,
  TaskSucceeded,
  TaskUnblocked,
  WorkingPlanActivated,
  WorkingPlanClosed,
} from './plan-events.js';
import { PolicySet, ToolRegistered, ToolRetired } from './registry-events.js';
import { SessionClosed, SessionOpened } from './session-events.js';

/** Events of a session stream: the decider's language. */
export const SESSION_EVENTS = {
  SessionOpened,
  SessionClosed,
  ToolCallRequested,
  ToolCallRejected,
  ApprovalRequested,
  ApprovalGranted,
  ApprovalDenied,
  ApprovalExpired,
  ApprovalVoided,
  ToolDispatched,
  LeaseExtended,
  ToolExecuted,
  LateResultRecorded,
  CancelRequested,
  ToolCallCancelled,
  ToolOutcomeLost,
  ToolCallAmended,
  ToolCallObserved,
  WorkingPlanActivated,
  WorkingPlanClosed,
  TaskAdded,
  TaskStarted,
  TaskBlocked,
  TaskUnblocked,
  TaskSucceeded,
  TaskFailed,
  TaskCancelled,
  TaskReopened,
  EvidenceRecorded,
} as const;

export const ACCESS_EVENTS = { PrincipalKeyCreated, PrincipalKeyRevoked, LedgerSealed } as const;
export const HISTORY_EVENTS = {
  HistoricalReceiptImported,
  HistoricalCopyImported,
  HistoricalTaskImported,
  HistoricalTransitionImported,
  HistoricalRecordQuarantined,
  ImportFinished,
} as const;

export const REGISTRY_EVENTS = { ToolRegistered, ToolRetired, PolicySet } as const;

/**
 * Every event that may be stored, by its stored type name. The current version of each is CURRENT_VERSIONS; the name and the version
 * are explicit constants, so that renaming code never renames what is stored.
 */
export const STORED_EVENTS = { ...SESSION_EVENTS, ...ACCESS_EVENTS, ...HISTORY_EVENTS, ...REGISTRY_EVENTS } as const;

export const EVENTS = STORED_EVENTS;
export type EventType = keyof typeof EVENTS;
export type StoredEventType = keyof typeof STORED_EVENTS;
export type EventData<T extends EventType> = z.infer<(typeof EVENTS)[T]>;

export const CURRENT_VERSIONS: Readonly<Record<EventType, number>> = {
  SessionOpened: 2,
  SessionClosed: 1,
  ToolCallRequested: 2,
  ToolCallRejected: 1,
  ApprovalRequested: 1,
  ApprovalGranted: 1,
  ApprovalDenied: 1,
  ApprovalExpired: 1,
  ApprovalVoided: 1,
  ToolDispatched: 2,
  LeaseExtended: 1,
  ToolExecuted: 1,
  LateResultRecorded: 1,
  CancelRequested: 1,
  ToolCallCancelled: 1,
  ToolOutcomeLost: 1,
  ToolCallObserved: 1,
  ToolCallAmended: 1,
  WorkingPlanActivated: 1,
  WorkingPlanClosed: 1,
  TaskAdded: 1,
  TaskStarted: 1,
  TaskBlocked: 1,
  TaskUnblocked: 1,
  TaskSucceeded: 1,
  TaskFailed: 1,
  TaskCancelled: 1,
  TaskReopened: 1,
  EvidenceRecorded: 1,
  ToolRegistered: 1,
  ToolRetired: 1,
  PolicySet: 1,
  PrincipalKeyCreated: 1,
  PrincipalKeyRevoked: 1,
  LedgerSealed: 1,
  HistoricalReceiptImported: 1,
  HistoricalCopyImported: 1,
  HistoricalTaskImported: 1,
  HistoricalTransitionImported: 1,
  HistoricalRecordQuarantined: 1,
  ImportFinished: 1,
};

type OneOf<T extends EventType> = { [K in T]: { readonly type: K; readonly data: EventData<K> } }[T];

/** What a decision says and `evolve` reads: type and data, no metadata. */
export type SessionEvent = OneOf<keyof typeof SESSION_EVENTS>;
export type RegistryEvent = OneOf<keyof typeof REGISTRY_EVENTS>;
export type AccessEvent = OneOf<keyof typeof ACCESS_EVENTS>;
export type CounterfoilEvent = OneOf<EventType>;

/** Any event of ours as projections read it. */
export type LedgerEvent = { [K in EventType]: RecordedEvent<K, EventData<K>> }[EventType];
export type NewLedgerEvent = { [K in StoredEventType]: NewEvent<K, EventData<K>> }[StoredEventType];

/** Narrows what a store returned to the events that this version knows; unknown types are left to the caller. */
export function isLedgerEvent(event: RecordedEvent): event is LedgerEvent {
  return Object.hasOwn(EVENTS, event.type);
}
