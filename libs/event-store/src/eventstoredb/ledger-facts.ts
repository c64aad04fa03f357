import { randomUUID } from 'node:crypto';
import { LedgerMissingError, StoreSettingsError, StreamIntegrityError, WrongExpectedRevisionError } from '../errors.js';
import type { AppendSettler } from './append-settler.js';
import { isDenied } from './failures.js';
import type { StreamReader } from './stream-reader.js';
import { LEDGER_STREAM } from './wire-event.js';
import type { ProposedEvent, WireEvent } from './wire-event.js';

const EPOCH = /^[a-z0-9]{1,32}$/;
const CREATED = 'LedgerCreated';
const FACT_SET = 'LedgerFactSet';

export interface LedgerParts {
  readonly streams: StreamReader;
  readonly settler: AppendSettler;
  /** Throws StoreSettingsError where no ledger may be made. */
  readonly checkPlace: () => Promise<void>;
}

/** Whether a ledger is there: the reader's stream of that name begins as ours do. What may not be read, or is no stream any more, is none. */
export async function isLedgerStream(streams: StreamReader): Promise<boolean> {
  try {
    return (await streams.eventAt(LEDGER_STREAM, 0n))?.type === CREATED;
  } catch (error) {
    if (error instanceof StreamIntegrityError || isDenied(error)) return false;
    throw error;
  }
}

/**
 * What a ledger knows about itself, each written once, in a stream of its own: its epoch, which is its first event, and facts by name.
 * Nothing of the ledger stands in the server before this stream does.
 */
export class LedgerFacts {
  private readonly facts = new Map<string, string>();

  private constructor(
    private readonly parts: LedgerParts,
    readonly epoch: string,
    /** Position of the first event. */
    readonly position: bigint,
    private revision: bigint,
  ) {}

  /**
   * Reads what is there, or makes it: of many processes that start at once, one does.
   *
   * @param createEpoch null: it must be there already
   * @throws StreamIntegrityError when what is there was not written by us, LedgerMissingError, StoreSettingsError where none may be made
   */
  static async open(parts: LedgerParts, createEpoch: (() => string) | null): Promise<LedgerFacts> {
    for (;;) {
      const ledger = await LedgerFacts.read(parts);
      if (ledger !== null) return ledger;
      if (createEpoch === null) throw new LedgerMissingError('nothing stands under the stream prefix');
      try {
        await parts.checkPlace();
      } catch (error) {
        // What is there now may be this very ledger: another process was faster, and has gone on.
        const made = await LedgerFacts.read(parts);
        if (made !== null) return made;
        throw error;
      }
      await create(parts, createEpoch());
    }
  }

  private static async read(parts: LedgerParts): Promise<LedgerFacts | null> {
    const [first, ...rest] = await parts.streams.eventsFrom(LEDGER_STREAM, 0n, Number.POSITIVE_INFINITY);
    if (first === undefined) return null;
    const ledger = new LedgerFacts(parts, epochIn(first), first.position, 0n);
    for (const event of rest) ledger.learn(event);
    return ledger;
  }

  get(key: string): string | null {
    return this.facts.get(key) ?? null;
  }

  /** All facts as they are now. */
  async all(): Promise<ReadonlyMap<string, string>> {
    await this.readOn();
    return new Map(this.facts);
  }

  /**
   * Sets a fact if nobody has, also in a race of processes.
   *
   * @returns the value that stands
   */
  async setOnce(key: string, value: string): Promise<string> {
    for (;;) {
      await this.readOn();
      const standing = this.facts.get(key);
      if (standing !== undefined) return standing;
      const event = proposed(FACT_SET, { key, value });
      try {
        await this.parts.settler.settle({ stream: LEDGER_STREAM, expected: this.revision, events: [event] });
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
      }
    }
  }

  private async readOn(): Promise<void> {
    const events = await this.parts.streams.eventsFrom(LEDGER_STREAM, this.revision + 1n, Number.POSITIVE_INFINITY);
    for (const event of events) this.learn(event);
  }

  /** The first that was written for a name stands. */
  private learn(event: WireEvent): void {
    if (event.revision <= this.revision) return;
    this.revision = event.revision;
    const { key, value } = membersOf(event);
    if (event.type !== FACT_SET || typeof key !== 'string' || typeof value !== 'string') return;
    if (!this.facts.has(key)) this.facts.set(key, value);
  }
}

async function create({ settler }: LedgerParts, epoch: string): Promise<void> {
  if (!EPOCH.test(epoch)) throw new StoreSettingsError('an epoch is 1 to 32 characters of [a-z0-9]');
  try {
    await settler.settle({ stream: LEDGER_STREAM, expected: 'no_stream', events: [proposed(CREATED, { epoch })] });
  } catch (error) {
    if (!(error instanceof WrongExpectedRevisionError)) throw error;
  }
}

const proposed = (type: string, data: Record<string, unknown>): ProposedEvent => ({
  id: randomUUID(),
  contentType: 'application/json',
  type,
  data,
  metadata: {},
});

function epochIn(event: WireEvent): string {
  const { epoch } = membersOf(event);
  if (event.type === CREATED && typeof epoch === 'string' && EPOCH.test(epoch)) return epoch;
  throw new StreamIntegrityError(LEDGER_STREAM, 'its first event does not say which ledger this is');
}

function membersOf({ data }: WireEvent): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}
