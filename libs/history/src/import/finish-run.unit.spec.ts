import { OutcomeUnknownError, StoreUnavailableError } from '@counterfoil/event-store';
import type { AppendRequest, AppendResult } from '@counterfoil/event-store';
import { MemoryEventStore } from '@counterfoil/testing';
import { CONTEXT } from '../testing/import-context.js';
import { finishRun } from './finish-run.js';
import { Tally } from './report.js';
import type { ImportReport } from './report.js';

function reportOf(changes: Partial<ImportReport> = {}): ImportReport {
  const tally = new Tally();
  tally.add('execution.receipt', { kind: 'imported', as: 'receipt' });
  tally.add('other', { kind: 'not_a_receipt' });
  tally.add('unreadable', { kind: 'quarantined', reason: 'not_json', added: true });
  return { ...tally.report({ importRun: 'run-golden', bytes: 99, milliseconds: 12.7, interrupted: false, dryRun: false }), ...changes };
}

const totals = (changes: Partial<ImportReport> = {}): Parameters<typeof finishRun>[2] => ({
  report: reportOf(changes),
  inputs: 3,
  failedInputs: 1,
});

async function stored(store: MemoryEventStore): Promise<{ stream: string; type: string; data: unknown }[]> {
  const found = [];
  for await (const { stream, type, data } of store.readStored(null)) found.push({ stream, type, data });
  return found;
}

describe('finishRun', () => {
  it('leaves the counts of a run in a stream of its own', async () => {
    const store = new MemoryEventStore();
    expect(await finishRun(store, CONTEXT, totals())).toBe(true);
    expect(await stored(store)).toEqual([
      {
        stream: 'import-default/run-golden',
        type: 'ImportFinished',
        data: {
          workspaceId: 'default',
          importRun: 'run-golden',
          totals: { read: 3, imported: 1, duplicate: 0, derivedCopy: 0, notAReceipt: 1, quarantined: 1 },
          added: { receipts: 1, tasks: 0, taskVersions: 0, transitions: 0, copies: 0, quarantined: 1 },
          surfaces: reportOf().surfaces,
          reasons: { not_json: 1 },
          inputs: 3,
          failedInputs: 1,
          bytes: 99,
          milliseconds: 13,
          interrupted: false,
        },
      },
    ]);
  });

  it('leaves nothing of a run that added nothing, nor of a dry one', async () => {
    const store = new MemoryEventStore();
    expect(await finishRun(store, CONTEXT, totals({ eventsAdded: 0 }))).toBe(false);
    expect(await finishRun(store, CONTEXT, totals({ dryRun: true }))).toBe(false);
    expect(await stored(store)).toEqual([]);
  });

  it('leaves a further trace of a run that is named again', async () => {
    const store = new MemoryEventStore();
    await finishRun(store, CONTEXT, totals({ interrupted: true }));
    await finishRun(store, CONTEXT, totals({ eventsAdded: 7 }));
    expect((await stored(store)).map(({ stream, data }) => [stream, (data as { interrupted: boolean }).interrupted])).toEqual([
      ['import-default/run-golden', true],
      ['import-default/run-golden', false],
    ]);
  });

  it('adds one event where the answer was lost, and waits for a store that is away', async () => {
    class FlakyStore extends MemoryEventStore {
      appends = 0;
      override async append(request: AppendRequest): Promise<AppendResult> {
        this.appends++;
        if (this.appends === 1) throw new StoreUnavailableError('away');
        const result = await super.append(request);
        if (this.appends === 2) throw new OutcomeUnknownError('lost');
        return result;
      }
    }
    const store = new FlakyStore();
    expect(await finishRun(store, CONTEXT, totals())).toBe(true);
    expect([store.appends, (await stored(store)).length]).toEqual([3, 1]);
  });

  it('fails where the store takes nothing', async () => {
    class BrokenStore extends MemoryEventStore {
      override append(): Promise<AppendResult> {
        return Promise.reject(new Error('disk full'));
      }
    }
    await expect(finishRun(new BrokenStore(), CONTEXT, totals())).rejects.toThrow('disk full');
  });
});
