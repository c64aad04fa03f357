import { LedgerSealedError, OutcomeUnknownError, StoreUnavailableError } from '@counterfoil/event-store';
import { HistoryImportError, type ImportErrorCode, type ImportReport } from '@counterfoil/history';
import { failureOf } from './failures.js';

const report = {} as ImportReport;
const failed = (code: ImportErrorCode): HistoryImportError => new HistoryImportError(code, 'Words of ours.', report);

it.each(['read_failed', 'not_lines', 'unknown_database', 'unknown_format'] as const)(
  '%s is the upload’s fault, in its own words',
  (code) => {
    expect(failureOf(failed(code))).toEqual({ code: 'import_unreadable', detail: 'Words of ours.' });
  },
);

it.each([failed('store_failed'), new StoreUnavailableError('x'), new OutcomeUnknownError('x')])(
  'after %p nobody can say what was recorded',
  (error) => {
    expect(failureOf(error)).toMatchObject({ code: 'outcome_unknown' });
  },
);

it.each([failed('ledger_sealed'), new LedgerSealedError()])('%p: the ledger has ended', (error) => {
  expect(failureOf(error)).toMatchObject({ code: 'ledger_sealed' });
});

it.each([failed('internal'), new TypeError('a word of the record')])('%p is ours, and tells nothing', (error) => {
  const { code, detail } = failureOf(error);
  expect(code).toBe('internal');
  expect(detail).not.toContain('record');
  expect(detail).not.toContain('Words');
});
