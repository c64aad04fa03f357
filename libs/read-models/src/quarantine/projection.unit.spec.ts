import {
  asideStream,
  historyStream,
  payloadOf,
  projecting,
  recordedIn,
  recordKeyOf,
  recordQuarantined,
  STREAM,
  testLog,
} from '@counterfoil/testing';
import { quarantineProjection } from './projection.js';

const { given, fault } = projecting(quarantineProjection);
const KEY = `w1/${recordKeyOf('a')}`;

describe('a record that was put aside', () => {
  it('is shown with its place, its reason and what was kept of it', () => {
    given(...recordedIn(asideStream('a'), recordQuarantined())).thenExactly({
      [KEY]: {
        recordKey: recordKeyOf('a'),
        workspaceId: 'w1',
        importRun: 'run-1',
        reason: 'not_json',
        detail: 'The line is no JSON: it was cut, or it is something else.',
        line: 7,
        byteOffset: 4096,
        table: null,
        row: null,
        member: null,
        record: payloadOf('{"cut": '),
        importedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('of a database is shown with its table, its row, and where in it', () => {
    const place = { line: null, byteOffset: null, table: 'tasks', row: '12', member: '/evidence/3' };
    given(...recordedIn(asideStream('a'), recordQuarantined(place))).then({ [KEY]: place });
  });

  it('of the first version, which knew no tables, has none', () => {
    const { type, data } = recordQuarantined();
    const { table: _table, row: _row, member: _member, ...old } = data;
    given(...recordedIn(asideStream('a'), { type, data: old })).then({ [KEY]: { table: null, row: null, member: null } });
  });

  it('cannot be put aside twice', () => {
    fault('projection_fault', ...recordedIn(asideStream('a'), recordQuarantined(), recordQuarantined({ importRun: 'run-2' })));
  });
});

describe('the quarantine projection', () => {
  it('keeps records and workspaces apart', () => {
    const log = testLog();
    log.append(asideStream('a'), recordQuarantined());
    log.append(asideStream('b'), recordQuarantined({ recordKey: recordKeyOf('b'), importRun: 'run-2' }));
    log.append(asideStream('a', 'w2'), recordQuarantined({ workspaceId: 'w2' }));
    given(...log.events).then({
      [KEY]: { workspaceId: 'w1', importRun: 'run-1' },
      [`w1/${recordKeyOf('b')}`]: { importRun: 'run-2', importedPosition: '2' },
      [`w2/${recordKeyOf('a')}`]: { workspaceId: 'w2' },
    });
  });

  it('takes nothing from streams in which no such record stands', () => {
    for (const stream of [STREAM, historyStream(recordKeyOf('a')), 'import-w1/run-1']) {
      given(...recordedIn(stream, recordQuarantined())).thenNothing();
    }
  });
});
