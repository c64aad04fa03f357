import { randomUUID } from 'node:crypto';
import type { ClientLease } from '../client-pool.js';
import { leaseClient } from '../client-pool.js';
import { readConnectionString } from '../connection-string.js';

/** Another program that uses the same server: it writes into streams of its own, or wherever it is told. */
export interface OtherProgram {
  /** So many records, in a stream of its own. */
  write(count: number): Promise<void>;
  /** Events into any stream, as they are. */
  writeTo(stream: string, events: readonly OtherEvent[]): Promise<void>;
  end(): Promise<void>;
}

export interface OtherEvent {
  readonly id?: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
}

const AT_ONCE = 200;

export function otherProgram(connectionString: string): OtherProgram {
  const connection = readConnectionString(connectionString);
  const stream = `other-program-${randomUUID()}`;
  let lease: ClientLease | null = null;
  const writeTo = async (name: string, events: readonly OtherEvent[]): Promise<void> => {
    lease ??= leaseClient(connection.connectionString);
    const proposed = events.map(({ id = randomUUID(), ...event }) => ({
      ...event,
      id,
      contentType: 'application/json' as const,
      metadata: event.metadata,
    }));
    const credentials = connection.appendCredentials === null ? {} : { credentials: { ...connection.appendCredentials } };
    const { client } = lease;
    // Of another program it doesn't matter should a record be written twice.
    const send = (): Promise<unknown> => client.appendToStream(name, proposed, { expectedRevision: 'any', ...credentials });
    await send().catch(send);
  };
  return {
    write: async (count) => {
      for (let left = count; left > 0; left -= AT_ONCE) {
        const events = Array.from({ length: Math.min(left, AT_ONCE) }, (_, n) => ({ type: 'SomethingElse', data: { n } }));
        await writeTo(stream, events);
      }
    },
    writeTo,
    end: async () => {
      await lease?.release();
      lease = null;
    },
  };
}

/** Another program for each test of a group, on the server that the test has by then; ended after it. */
export function eachOtherProgram(server: () => { readonly connectionString: string }): () => OtherProgram {
  let program: OtherProgram | null = null;
  afterEach(async () => {
    await program?.end();
    program = null;
  });
  return () => (program ??= otherProgram(server().connectionString));
}
