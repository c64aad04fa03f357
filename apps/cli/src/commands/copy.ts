import { Option, type Command } from 'commander';
import { LedgerMissingError, StreamIntegrityError, UpcastError } from '@counterfoil/event-store';
import {
  CopyError,
  copyLedger,
  DEFAULT_STREAM_PREFIX,
  EventsUrl,
  openCopyStores,
  withPrefix,
  type CopyProgress,
  type CopyReport,
  type EventsLocation,
} from '@counterfoil/ledger';
import { CliError } from '../cli-error.js';
import { interruptible } from '../interruptible.js';
import { duration, endProgress, print, printJson, printProgress, table } from '../output.js';

interface CopyCommandOptions {
  readonly from: string;
  readonly to: string;
  readonly fromPrefix: string;
  readonly toPrefix: string;
  readonly seal?: boolean;
  readonly grace?: string;
  readonly json?: boolean;
}

const PROGRESS_EVERY_MS = 1000;

const EXIT_CODES =
  '\nA run that was cut off is taken up by running the same again. Exit code: 0, 1 could not run, 2 wrong use, 3 the copy differs or the ' +
  'source is damaged, 130 interrupted.';

export function addCopy(program: Command): void {
  const prefix = process.env['COUNTERFOIL_STREAM_PREFIX'] ?? DEFAULT_STREAM_PREFIX;
  program
    .command('copy')
    .description('move a ledger to another event store, with its ids, times and hashes, and compare; opens no keys')
    .addOption(address('--from <url>', 'where it is: sqlite:<file>, esdb://… or kurrentdb://…', 'COUNTERFOIL_COPY_FROM'))
    .addOption(address('--to <url>', 'an empty place, or what an earlier run has begun', 'COUNTERFOIL_COPY_TO'))
    .option('--seal', 'end the source: it takes no commands any more, and the copy goes on in its place')
    .option('--grace <seconds>', 'how long to wait after sealing; by default as long as writers of the source may need')
    .option('--from-prefix <prefix>', 'what stands before its stream names in EventStoreDB', prefix)
    .option('--to-prefix <prefix>', 'the same where it is copied to', prefix)
    .option('--json', 'print the report as JSON')
    .addHelpText('after', EXIT_CODES)
    .action(async (options: CopyCommandOptions) => {
      const report = await copy(options);
      if (options.json === true) printJson(asJson(report));
      else printReport(report);
      if (!report.ok) process.exitCode = report.complete ? 3 : 130;
    });
}

/** May come by a variable: what stands on a command line is seen by everybody who lists processes, passwords included. */
const address = (flags: string, description: string, variable: string): Option =>
  new Option(flags, description).env(variable).makeOptionMandatory();

async function copy(options: CopyCommandOptions): Promise<CopyReport> {
  const from = locationOf('--from', options.from, options.fromPrefix);
  const to = locationOf('--to', options.to, options.toPrefix);
  const grace = options.grace === undefined ? {} : { sealGraceMs: secondsIn(options.grace) * 1000 };
  return interruptible(async (signal) => {
    const stores = await openCopyStores(from, to).catch(asExit);
    try {
      const settings = { seal: options.seal === true, ...grace, signal, onProgress: progressShower() };
      return await copyLedger(stores.source, stores.target, settings).catch(asExit).finally(endProgress);
    } finally {
      await stores.close();
    }
  });
}

/** The address itself isn't shown: it may hold a password. */
function locationOf(option: string, url: string, prefix: string): EventsLocation {
  const parsed = EventsUrl.safeParse(url);
  if (!parsed.success) throw new CliError(`${option} ${parsed.error.issues[0]?.message ?? 'is no address of an event store'}.`, 2);
  return withPrefix(parsed.data, prefix);
}

function secondsIn(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new CliError('--grace takes whole seconds.', 2);
  return Number(text);
}

/** Tells apart what `verify` would tell apart: a ledger that is not whole, or not the same, from one that could not be read. */
function asExit(error: unknown): never {
  const differs = error instanceof StreamIntegrityError || error instanceof UpcastError;
  if (differs || (error instanceof CopyError && error.code === 'copy_target_differs'))
    throw new CliError(`${error.code}: ${error.message}`, 3);
  if (error instanceof LedgerMissingError) throw new CliError(`${error.code}: ${error.message}`, 1);
  if (error instanceof CopyError) throw new CliError(`${error.code}: ${error.message}`, error.code === 'copy_prefixes_overlap' ? 2 : 1);
  throw error;
}

/** Tells how far it is: at once when a step begins, then at most once a second. */
function progressShower(): (progress: CopyProgress) => void {
  let shown = { step: '', at: 0 };
  return ({ step, position, total, eventsPerSecond, secondsLeft }) => {
    const now = performance.now();
    if (step === shown.step && now - shown.at < PROGRESS_EVERY_MS) return;
    shown = { step, at: now };
    const left = step === 'sealing' ? '' : `, ${duration(secondsLeft)} left`;
    printProgress(`${step}: position ${String(position)} of ${String(total)}, ${eventsPerSecond.toFixed(0)} events/s${left}`);
  };
}

function asJson({ position, verification, differences, ...report }: CopyReport): unknown {
  return {
    ...report,
    position: position.toString(),
    differences: differences.map(({ stream, sourceRevision, targetRevision }) => ({
      stream,
      sourceRevision: sourceRevision?.toString() ?? null,
      targetRevision: targetRevision?.toString() ?? null,
    })),
    verification:
      verification === null ? null : { ok: verification.ok, faultCount: verification.faultCount, faultsByKind: verification.faultsByKind },
  };
}

function printReport(report: CopyReport): void {
  const { events, streams, added, totalHash, differences, verification } = report;
  print(`${String(events)} events in ${String(streams)} streams, ${String(added)} of them copied now, in ${duration(report.seconds)}`);
  print(`from ledger ${report.source}, up to its position ${String(report.position)}, to ledger ${report.target}`);
  if (!report.complete) print('Interrupted: run the same again to go on.');
  else print(report.ok ? `the copy is whole and the same: total hash ${totalHash}` : 'THE COPY IS NOT THE SAME');
  if (differences.length > 0) {
    const rows = differences.map((one) => [one.stream, one.sourceRevision?.toString() ?? null, one.targetRevision?.toString() ?? null]);
    print(table(['stream', 'last revision', 'in the copy'], rows, 80));
  }
  if (verification !== null && !verification.ok && verification.complete) {
    const rows = verification.faults.map((fault) => [fault.kind, fault.stream, String(fault.revision), fault.detail]);
    print(table(['fault', 'stream', 'revision', 'detail'], rows, 80));
  }
  printState(report);
}

function printState({ sealed, sourceGrew, complete, ok }: CopyReport): void {
  if (sealed && sourceGrew) print('The source was sealed and has grown all the same: run the same again.');
  else if (sealed && ok) print('The source has ended: commands go to the copy.');
  else if (sealed && complete)
    print('The source has ended, and this copy is none to go on with: copy it without --seal to an empty place.');
  else if (complete && sourceGrew) print('The source has grown meanwhile: the copy is as of that position.');
}
