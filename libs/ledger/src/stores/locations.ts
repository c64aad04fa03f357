import { z } from 'zod';

/** Where the events of a ledger are (COUNTERFOIL_EVENTS). */
export type EventsLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'eventstoredb';
      /** Holds a password, as a rule: never shown. */
      readonly connectionString: string;
      readonly streamPrefix: string;
    };

/** Where its read models are (COUNTERFOIL_READ_MODELS). */
export type ReadModelsLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'mongodb';
      /** Holds a password, as a rule: never shown. */
      readonly url: string;
    };

const SQLITE = /^sqlite:(.+)$/s;
const EVENT_STORE = /^(?:esdb|kurrentdb)(?:\+discover)?:\/\/./;
const MONGODB = /^mongodb(?:\+srv)?:\/\/./;

/** What stands before every stream name in EventStoreDB; its adapter has the rule for it. */
export const DEFAULT_STREAM_PREFIX = 'counterfoil.';

/** Reads the address of an event store. What of it is the client's is checked when it is opened. */
export const EventsUrl = z.string().transform((text, context): WithoutPrefix => {
  const file = SQLITE.exec(text)?.[1];
  if (file !== undefined) return { kind: 'sqlite', file };
  if (EVENT_STORE.test(text)) return { kind: 'eventstoredb', connectionString: text };
  context.addIssue({ code: 'custom', message: 'must be sqlite:<file>, esdb://… or kurrentdb://…' });
  return z.NEVER;
});

type WithoutPrefix = Extract<EventsLocation, { kind: 'sqlite' }> | Omit<Extract<EventsLocation, { kind: 'eventstoredb' }>, 'streamPrefix'>;

/** The same with the prefix, which means something to EventStoreDB only. */
export const withPrefix = (location: WithoutPrefix, streamPrefix: string): EventsLocation =>
  location.kind === 'sqlite' ? location : { ...location, streamPrefix };

/** Reads the address of a document store. */
export const ReadModelsUrl = z.string().transform((text, context): ReadModelsLocation => {
  const file = SQLITE.exec(text)?.[1];
  if (file !== undefined) return { kind: 'sqlite', file };
  if (MONGODB.test(text)) return { kind: 'mongodb', url: text };
  context.addIssue({ code: 'custom', message: 'must be sqlite:<file>, mongodb://… or mongodb+srv://…' });
  return z.NEVER;
});

/** The scheme and the hosts of an address, for people: neither user nor password nor options. */
export function shownLocation(location: EventsLocation | ReadModelsLocation): string {
  if (location.kind === 'sqlite') return location.file;
  const text = location.kind === 'mongodb' ? location.url : location.connectionString;
  const [, scheme = '', authority = ''] = /^([a-z+]+):\/\/([^/?]*)/i.exec(text) ?? [];
  return `${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}`;
}

/** Events and read models in one file, as in embedded mode. */
export const inFile = (file: string): { readonly events: EventsLocation; readonly readModels: ReadModelsLocation } => ({
  events: { kind: 'sqlite', file },
  readModels: { kind: 'sqlite', file },
});
