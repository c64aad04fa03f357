import { MongoClient } from 'mongodb';
import { runCli } from '../support/server-process.js';
import { Breaks } from './breaks.js';
import { Callers } from './callers.js';
import { caughtUp, checkReceipts, checkRecordIsWhole } from './check-read-models.js';
import { checkStreams } from './check-streams.js';
import { startCluster, type Cluster } from './cluster.js';
import { Incidents, seconds, type IncidentsReport } from './incidents.js';
import { SERVERS } from './members.js';
import { Readers } from './readers.js';
import { Sender } from './sender.js';

export interface DistributedRunOptions {
  /** Of the MongoDB that the proxies stand before. */
  readonly mongoUrl: string;
  /** At least; more are made when it takes longer until all has happened that is to happen meanwhile. */
  readonly calls: number;
  readonly sessions: number;
  readonly atOnce: number;
  /** The calls are spread over so much time at least. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** What was found to be wrong, and figures. */
export interface DistributedRunReport {
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number | string>>;
}

/** Tool calls through two servers onto shared sessions, while projectors are killed and stopped and connections break; then all is checked. */
export async function distributedRun(options: DistributedRunOptions): Promise<DistributedRunReport> {
  const cluster = await startCluster(options.mongoUrl);
  const client = await MongoClient.connect(options.mongoUrl);
  try {
    return await new DistributedRun(cluster, client, options).run();
  } catch (error) {
    for (const [name, app] of [...cluster.servers, ...cluster.projectors]) options.say(`${name}: ${app.log().slice(-4000)}`);
    throw error;
  } finally {
    await cluster.stop();
    await client.db(cluster.database).dropDatabase();
    await client.close();
  }
}

class DistributedRun {
  private readonly faults: string[] = [];
  private readonly figures: Record<string, number | string> = {};
  private readonly breaks: Breaks;

  constructor(
    private readonly cluster: Cluster,
    private readonly client: MongoClient,
    private readonly options: DistributedRunOptions,
  ) {
    this.breaks = new Breaks(cluster);
  }

  async run(): Promise<DistributedRunReport> {
    const startedAt = performance.now();
    const sender = await this.sender();
    const callers = new Callers(sender, this.options);
    const readers = new Readers(sender, callers);
    const reached = (part: number): Promise<void> => callers.reached(part);
    const incidents = new Incidents(this.cluster, this.client, this.breaks, reached, this.options.say);
    await incidents.untilShared();
    await this.underFaults(callers, readers, incidents);
    this.note({ 'seconds of calls': seconds(performance.now() - startedAt), ...retriesOf(sender) });
    this.note({ 'reads of own writes': readers.read, 'reads told to try again': readers.told });
    this.faults.push(...callers.faults, ...readers.faults, ...this.ended());
    await this.check(callers);
    this.note({ 'seconds in all': seconds(performance.now() - startedAt) });
    return { faults: this.faults, figures: this.figures };
  }

  private note(figures: Readonly<Record<string, number | string>>): void {
    Object.assign(this.figures, figures);
  }

  private async sender(): Promise<Sender> {
    const body = { principal: 'agent:distributed', userId: 'distributed', roles: ['agent'] };
    const { secret } = await this.cluster.admin('server-1').call<{ secret: string }>('POST', '/v1/keys', body);
    return new Sender(
      SERVERS.map((name) => this.cluster.server(name).url),
      secret,
    );
  }

  private async underFaults(callers: Callers, readers: Readers, incidents: Incidents): Promise<void> {
    const stop = new AbortController();
    const background = [this.breaks.run(stop.signal), readers.run(stop.signal), this.progress(callers, stop.signal)];
    try {
      const happened = incidents.run().finally(() => {
        callers.mayEnd();
      });
      // Nothing more to be called for; the error is told by who awaits it.
      happened.catch((error: unknown) => callers.faults.push(String(error)));
      const [report] = await Promise.all([happened, callers.run()]);
      this.noteIncidents(report);
    } finally {
      stop.abort();
      await Promise.all(background);
    }
    this.note({ calls: callers.done, 'acknowledged commands': callers.acknowledged.length });
    for (const [what, times] of this.breaks.counts) this.note({ [`connections broken, ${what}`]: times });
  }

  private async progress(callers: Callers, signal: AbortSignal): Promise<void> {
    const { calls, say } = this.options;
    const timer = setInterval(() => {
      say(`${String(callers.done)} of ${String(calls)} calls`);
    }, 10_000);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    clearInterval(timer);
  }

  private noteIncidents({ takeoverMs, shareMs, overtaken, racing }: IncidentsReport): void {
    this.note({ 'take-over after SIGKILL': seconds(takeoverMs), 'share of a new projector': seconds(shareMs) });
    for (const [what, { stoppedMs, held }] of Object.entries({ 'overtaken bulk': overtaken, 'racing bulk': racing })) {
      const { writes, refused, applied } = held;
      this.note({ [what]: `${String(writes)} writes: ${String(refused)} refused, ${String(applied)} done, after ${seconds(stoppedMs)}` });
    }
    const { writes, refused, applied } = overtaken.held;
    if (writes === 0 || refused < writes || applied > 0)
      this.faults.push(`a bulk that was overtaken was done: ${JSON.stringify(overtaken)}`);
  }

  private ended(): readonly string[] {
    return [...this.cluster.servers, ...this.cluster.projectors].flatMap(([name, app]) => {
      const exit = app.exit();
      return exit === null ? [] : [`${name} ended with ${exit}: ${app.log().slice(-2000)}`];
    });
  }

  private async check(callers: Callers): Promise<void> {
    for (const name of SERVERS) await caughtUp(this.cluster.admin(name), name);
    const streams = await checkStreams(this.cluster, callers.acknowledged);
    this.note({ 'events in the sessions': streams.events });
    this.faults.push(...streams.faults);
    for (const name of SERVERS) this.faults.push(...(await checkReceipts(this.cluster.admin(name), name, streams.calls)));
    if (streams.calls.size !== callers.done) this.faults.push(`${String(streams.calls.size)} calls are in the streams`);
    await this.checkUnanswered();
    await this.checkByCli();
    await this.checkRecord();
  }

  private async checkUnanswered(): Promise<void> {
    const reads = await this.cluster.eventStore.reads();
    this.note({ 'reads of streams': reads.stream, 'reads of everything': reads.all, subscriptions: reads.subscription });
    const { appends, conflicts, written, notWritten, landedLate, neverAskedAgain } = await this.cluster.eventStore.unanswered();
    this.note({
      appends,
      'conflicts between servers': conflicts,
      'appends without an answer that were written': written,
      'and that were not': notWritten,
    });
    this.note({
      'of those: landed later, beside their second try': landedLate,
      'lost appends that nobody asked for again': neverAskedAgain,
    });
    if (written === 0 || notWritten === 0) this.faults.push('of the appends without an answer there were not both kinds');
  }

  /** The chain of every stream, and the read models against ones that are built anew. */
  private async checkByCli(): Promise<void> {
    const environment = await this.cluster.environment('server-1');
    for (const command of [['verify'], ['rebuild', '--compare']]) {
      const { code, stdout, stderr } = await runCli(this.cluster.directory, command, environment);
      this.options.say(`${command.join(' ')}: ${stdout.trim()}`);
      if (code !== 0) this.faults.push(`${command.join(' ')} ended with ${String(code)}: ${stdout}${stderr}`);
    }
  }

  private async checkRecord(): Promise<void> {
    // Nothing writes any more, so that the record and the database are of the same moment.
    for (const projector of this.cluster.projectors.values()) await projector.end('SIGTERM');
    const { faults, ends, figures } = await this.cluster.mongo.report();
    this.faults.push(...faults, ...(await checkRecordIsWhole(this.client, this.cluster.database, ends)));
    this.note(figures);
  }
}

function retriesOf({ retries }: Sender): Readonly<Record<string, number>> {
  return Object.fromEntries([...retries].map(([why, times]) => [`sent again: ${why}`, times]));
}
