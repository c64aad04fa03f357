import { DocumentStoreUnavailableError } from '../errors.js';
import { bulkFailure, isDuplicateKey, isPassing, portError } from './errors.js';

/** An error as the driver throws it. */
function driverError(name: string, values: object = {}): Error {
  const error = Object.assign(new Error('E11000 duplicate key: FAKE-value'), values);
  error.name = name;
  return error;
}

interface Bulk {
  readonly writeErrors?: unknown;
  readonly upsertedIds?: Readonly<Record<number, string>>;
  readonly isUnconfirmed?: boolean;
  readonly errorResponse?: unknown;
}

function bulkError({ writeErrors = [], upsertedIds = {}, isUnconfirmed = false, errorResponse }: Bulk): Error {
  const result = { upsertedIds, matchedCount: 2, getWriteConcernError: () => (isUnconfirmed ? { code: 64 } : undefined) };
  return driverError('MongoBulkWriteError', { writeErrors, result, errorResponse });
}

const duplicate = (index: number) => ({ index, code: 11_000 });

describe('errors of the MongoDB driver', () => {
  it.each([
    ['a broken connection', driverError('MongoNetworkError')],
    ['a connection that fell silent', driverError('MongoNetworkTimeoutError')],
    ['connections that were cleared away', driverError('MongoPoolClearedError')],
    ['a primary that stepped down', driverError('MongoServerError', { code: 10_107 })],
    ['a server that shuts down', driverError('MongoServerError', { code: 11_600 })],
    ['a majority that took too long', driverError('MongoWriteConcernError', { code: 64 })],
    ['what the server itself calls so', driverError('MongoServerError', { code: 1, errorLabels: ['RetryableWriteError'] })],
    ['a bulk that was not answered', bulkError({ errorResponse: driverError('MongoNetworkError') })],
    ['a bulk that no majority confirmed', bulkError({ isUnconfirmed: true })],
  ])('%s: passes', (_, error) => {
    expect(isPassing(error)).toBe(true);
    expect(bulkFailure(error)).toBeNull();
  });

  it.each([
    ['no server', driverError('MongoServerSelectionError')],
    ['no rights', driverError('MongoServerError', { code: 13 })],
    ['a bulk without a server', bulkError({ errorResponse: driverError('MongoServerSelectionError') })],
    ['a duplicate key', driverError('MongoServerError', { code: 11_000 })],
    ['an error of another kind', new TypeError('a fault in the program')],
  ])('%s: does not pass by itself', (_, error) => {
    expect(isPassing(error)).toBe(false);
  });

  it('tells of a bulk which writes met a duplicate key', () => {
    const error = bulkError({ writeErrors: [duplicate(3), duplicate(5)], upsertedIds: { 1: 'a' } });
    expect(bulkFailure(error)).toEqual({ failed: [3, 5], made: ['a'], matched: 2 });
    expect(bulkFailure(bulkError({ writeErrors: duplicate(0) }))).toMatchObject({ failed: [0] });
  });

  it('tells nothing of a bulk in which anything else went wrong', () => {
    expect(bulkFailure(bulkError({ writeErrors: [duplicate(1), { index: 2, code: 11_600 }] }))).toBeNull();
    expect(bulkFailure(bulkError({ writeErrors: [duplicate(1)], isUnconfirmed: true }))).toBeNull();
    expect(bulkFailure(driverError('MongoServerError', { code: 11_000 }))).toBeNull();
  });

  it('become the error of the port, which quotes nothing', () => {
    const cause = driverError('MongoServerError', { code: 13, codeName: 'Unauthorized' });
    const error = portError(cause);
    expect(error).toBeInstanceOf(DocumentStoreUnavailableError);
    expect(error).toMatchObject({
      code: 'document_store_unavailable',
      message: "the read models' MongoDB can't be used (Unauthorized)",
      cause,
    });
    expect(String(portError(driverError('MongoServerError', { code: 8000 })))).toContain('(8000)');
    expect(String(portError(driverError('MongoNetworkError')))).toContain('(MongoNetworkError)');
  });

  it('leave other errors as they are', () => {
    const error = new RangeError('a fault in the program');
    expect(portError(error)).toBe(error);
    expect(isDuplicateKey(Object.assign(error, { code: 11_000 }))).toBe(false);
  });
});
