import type { CommandStartedEvent } from 'mongodb';
import type { Connection } from '../connection.js';

/** A connection, and what it was seen to do that it must not. */
export interface Watched {
  readonly connection: Connection;
  readonly commands: readonly CommandStartedEvent['command'][];
  readonly faults: readonly string[];
}

const READS = new Set(['find', 'aggregate', 'count', 'distinct']);
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'drop']);

/** Watches the commands of a connection that was opened with monitoring. */
export function watch(connection: Connection): Watched {
  const commands: CommandStartedEvent['command'][] = [];
  const faults: string[] = [];
  connection.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    commands.push(command);
    if (READS.has(commandName)) faults.push(...faultsOfRead(commandName, command));
    if (WRITES.has(commandName) && !isForMajority(command)) faults.push(`${commandName} does not wait for a majority in bounded time`);
  });
  return { connection, commands, faults };
}

function faultsOfRead(name: string, command: CommandStartedEvent['command']): readonly string[] {
  const faults: string[] = [];
  if (typeof command['hint'] !== 'string') faults.push(`${name} names no index`);
  if (typeof command['maxTimeMS'] !== 'number') faults.push(`${name} has no limit of time`);
  const preference = (command['$readPreference'] as { mode?: string } | undefined)?.mode ?? 'primary';
  // To a single server, whatever it is, the driver may not name a primary.
  if (!preference.startsWith('primary')) faults.push(`${name} asks a secondary`);
  return faults;
}

function isForMajority(command: CommandStartedEvent['command']): boolean {
  const concern = command['writeConcern'] as { w?: unknown; wtimeout?: unknown } | undefined;
  return concern?.w === 'majority' && typeof concern.wtimeout === 'number';
}
