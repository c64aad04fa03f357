/** Where an event stands, for a report that names it. */
interface Placed {
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/**
 * An event that can't follow on what its document holds: a poison event (promise 27). The engine reports it with its place; nothing is
 * invented in its stead.
 */
export class ProjectionFault extends Error {
  readonly code = 'projection_fault';
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;

  /** @param detail our own words; never anything out of the event's data */
  constructor(
    readonly projection: string,
    event: Placed,
    readonly detail: string,
  ) {
    super(`${projection}: ${event.type} at revision ${event.revision.toString()} (position ${event.position.toString()}): ${detail}`);
    this.name = 'ProjectionFault';
    this.type = event.type;
    this.stream = event.stream;
    this.revision = event.revision;
    this.position = event.position;
  }
}
