import { EventStoreDBClient } from '@eventstore/db-client';
import { StoreSettingsError } from '../errors.js';

export interface ClientLease {
  readonly client: EventStoreDBClient;
  /** The last one of a connection string that is given back ends its calls. */
  release(): Promise<void>;
}

interface Shared {
  readonly client: EventStoreDBClient;
  users: number;
}

/** One client for each connection string of a process: its bookkeeping is per process (stack.md, @eventstore/db-client row 1). */
const clients = new Map<string, Shared>();

/** @throws StoreSettingsError when the client refuses the string; its own message may quote a password, so it isn't passed on */
export function leaseClient(connectionString: string): ClientLease {
  const shared = clients.get(connectionString) ?? { client: connect(connectionString), users: 0 };
  clients.set(connectionString, shared);
  shared.users++;
  let held = true;
  const release = async (): Promise<void> => {
    if (!held) return;
    held = false;
    shared.users--;
    if (shared.users > 0) return;
    clients.delete(connectionString);
    await shared.client.dispose();
  };
  return { client: shared.client, release };
}

function connect(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch {
    throw new StoreSettingsError(
      'the connection string of the event store can not be used: the client refused it, or a file that it names is missing',
    );
  }
}
