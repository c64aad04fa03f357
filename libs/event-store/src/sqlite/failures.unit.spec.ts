import Database from 'better-sqlite3';
import { OutcomeUnknownError, StoreUnavailableError } from '../errors.js';
import { asCommitFailure, asStoreFailure, isBusy } from './failures.js';

const failure = (code: string): Error => new Database.SqliteError('as SQLite says', code);

describe('a failure of SQLite', () => {
  it.each(['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_SNAPSHOT'])(
    'at the commit with %s: nothing was stored',
    (code) => {
      expect(asCommitFailure(failure(code))).toBeInstanceOf(StoreUnavailableError);
    },
  );

  it.each(['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR', 'SQLITE_NOMEM', 'SQLITE_CORRUPT'])(
    'at the commit with %s: it may have been',
    (code) => {
      expect(asCommitFailure(failure(code))).toBeInstanceOf(OutcomeUnknownError);
    },
  );

  it('of another kind at the commit: it may have been', () => {
    expect(asCommitFailure(new TypeError('odd'))).toBeInstanceOf(OutcomeUnknownError);
  });

  it('before the commit: nothing was stored; a fault of ours stays one', () => {
    const fault = new TypeError('ours');
    expect(asStoreFailure(failure('SQLITE_IOERR_READ'))).toBeInstanceOf(StoreUnavailableError);
    expect(asStoreFailure(fault)).toBe(fault);
  });

  it('is worth another try only when the lock was held', () => {
    expect(
      ['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_CORRUPT'].map((code) => isBusy(failure(code))),
    ).toEqual([true, true, true, false, false]);
  });
});
