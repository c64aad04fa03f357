import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import type { Breaks } from './breaks.js';
import type { Cluster } from './cluster.js';
import type { ProjectorName } from './members.js';
import type { HeldBulk } from './mongo.child.js';
import { partitionsByProcess } from './ownership.js';

const PARTITIONS = 64;
/** Longer than a lease, a look and a beat take by far. */
const TAKEOVER_WITHIN_MS = 30_000;
const HELD_WITHIN_MS = 20_000;
const LOOK_MS = 100;

/** How far the calls are when something happens, as a part of all. */
const KILL_AT = 0.1;
const STOP_AT = 0.4;
const STOP_AGAIN_AT = 0.7;

/** A projector that stood still past its lease, and what became of the bulk that it had under way. */
export interface Stop {
  readonly stoppedMs: number;
  readonly held: HeldBulk;
}

export interface IncidentsReport {
  /** From SIGKILL until the other projector has all partitions. */
  readonly takeoverMs: number;
  /** From the start of another one until both have their share. */
  readonly shareMs: number;
  /** Its bulk came when the other projector had done the same. */
  readonly overtaken: Stop;
  /** Its bulk came as soon as the other projector had its partitions, whatever that had done by then. */
  readonly racing: Stop;
}

/** What happens to the projectors while calls are made: one is killed and replaced, each once stands still past its lease. */
export class Incidents {
  constructor(
    private readonly cluster: Cluster,
    private readonly client: MongoClient,
    private readonly breaks: Breaks,
    /** Resolves when so great a part of the calls is done, or no more are made. */
    private readonly reached: (part: number) => Promise<void>,
    private readonly say: (line: string) => void,
  ) {}

  async run(): Promise<IncidentsReport> {
    await this.reached(KILL_AT);
    const takeoverMs = await this.kill();
    const startedAt = performance.now();
    await this.cluster.startProjector('projector-1');
    await this.untilShared();
    const shareMs = performance.now() - startedAt;
    this.say(`a new projector has its share after ${seconds(shareMs)}`);
    await this.reached(STOP_AT);
    const overtaken = await this.stopWithBulkHeld('projector-2', 'projector-1', true);
    await this.reached(STOP_AGAIN_AT);
    const racing = await this.stopWithBulkHeld('projector-1', 'projector-2', false);
    return { takeoverMs, shareMs, overtaken, racing };
  }

  private async kill(): Promise<number> {
    const startedAt = performance.now();
    await this.cluster.projector('projector-1').end('SIGKILL');
    await this.untilAllAt(this.cluster.projector('projector-2').pid);
    const takeoverMs = performance.now() - startedAt;
    this.say(`projector 1 was killed; projector 2 had all ${String(PARTITIONS)} partitions after ${seconds(takeoverMs)}`);
    return takeoverMs;
  }

  /** SIGSTOP with a bulk in the proxy, until the lease is over and more; then SIGCONT, and the bulk arrives. */
  private async stopWithBulkHeld(stopped: ProjectorName, other: ProjectorName, isOvertaken: boolean): Promise<Stop> {
    const { mongo } = this.cluster;
    const projector = this.cluster.projector(stopped);
    this.breaks.spared = stopped;
    try {
      if (!(await mongo.hold(stopped, HELD_WITHIN_MS))) throw new Error('no bulk came to be held');
      const startedAt = performance.now();
      projector.signal('SIGSTOP');
      await this.untilAllAt(this.cluster.projector(other).pid);
      if (isOvertaken) await this.untilOvertaken();
      projector.signal('SIGCONT');
      const stoppedMs = performance.now() - startedAt;
      await mongo.release(stopped);
      const held = await mongo.heldBulk();
      const { writes, refused, applied } = held;
      this.say(
        `${stopped} stood still for ${seconds(stoppedMs)}; its bulk of ${String(writes)}: ${String(refused)} refused, ${String(applied)} done`,
      );
      await this.untilShared();
      return { stoppedMs, held };
    } finally {
      this.breaks.spared = null;
    }
  }

  private untilOvertaken(): Promise<void> {
    return this.until('the held bulk to be overtaken', async () => {
      const { writes, overtaken } = await this.cluster.mongo.heldBulk();
      return overtaken === writes;
    });
  }

  private untilAllAt(pid: number): Promise<void> {
    return this.until(`process ${String(pid)} to have all partitions`, async () => (await this.partitions()).get(pid) === PARTITIONS);
  }

  /** Until both have half of them. */
  untilShared(): Promise<void> {
    const pids = [...this.cluster.projectors.values()].map(({ pid }) => pid);
    return this.until('each projector to have its share', async () => {
      const partitions = await this.partitions();
      return pids.every((pid) => partitions.get(pid) === PARTITIONS / pids.length);
    });
  }

  private partitions(): Promise<ReadonlyMap<number, number>> {
    return partitionsByProcess(this.client, this.cluster.database);
  }

  private async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const endAt = performance.now() + TAKEOVER_WITHIN_MS;
    while (!(await isSo())) {
      if (performance.now() > endAt) throw new Error(`waited in vain for ${what}`);
      await sleep(LOOK_MS);
    }
  }
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
