import { addedOf, fates, importFinished, importStream, projecting, recordedAt, recordedIn, STREAM, testLog } from '@counterfoil/testing';
import { importsProjection } from './projection.js';

const { given } = projecting(importsProjection);

describe('an import', () => {
  it('is shown as it ended', () => {
    const log = testLog({ principal: 'person:importer' });
    log.append(importStream('run-1'), importFinished());
    given(...log.events).thenExactly({
      'w1/run-1': {
        workspaceId: 'w1',
        importRun: 'run-1',
        totals: fates({ imported: 2, quarantined: 1 }),
        added: addedOf({ receipts: 2, quarantined: 1 }),
        surfaces: { 'execution.receipt': fates({ imported: 2 }), unreadable: fates({ quarantined: 1 }) },
        reasons: { not_json: 1 },
        inputs: 1,
        failedInputs: 0,
        bytes: 900,
        milliseconds: 40,
        interrupted: false,
        by: 'person:importer',
        finishedAt: recordedAt(1),
        finishedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('that was stopped and went on under its name counts all its goes together, and ends with the last', () => {
    const log = testLog();
    log.appendParts(importStream('run-1'), [importFinished({ interrupted: true, inputs: 4, failedInputs: 3 })], {
      principal: 'person:first',
    });
    log.append(importStream('run-2'), importFinished({ importRun: 'run-2' }));
    const second = importFinished({
      totals: fates({ imported: 1, duplicate: 2 }),
      added: addedOf({ receipts: 1 }),
      surfaces: { 'a.surface': fates({ imported: 1 }), 'execution.receipt': fates({ duplicate: 2 }) },
      reasons: { infinity: 4, not_json: 2 },
      failedInputs: 1,
    });
    log.appendParts(importStream('run-1'), [second], { principal: 'person:second' });
    const doc = given(...log.events).doc('w1/run-1');
    expect(doc).toMatchObject({
      totals: fates({ imported: 3, duplicate: 2, quarantined: 1 }),
      added: addedOf({ receipts: 3, quarantined: 1 }),
      reasons: { infinity: 4, not_json: 3 },
      inputs: 1,
      failedInputs: 1,
      bytes: 1800,
      milliseconds: 80,
      interrupted: false,
      by: 'person:second',
      finishedAt: recordedAt(3),
      finishedPosition: '3',
      revision: '1',
    });
    expect(Object.entries(doc.surfaces)).toEqual([
      ['a.surface', fates({ imported: 1 })],
      ['execution.receipt', fates({ imported: 2, duplicate: 2 })],
      ['unreadable', fates({ quarantined: 1 })],
    ]);
  });
});

describe('the imports projection', () => {
  it('keeps runs and workspaces apart', () => {
    const log = testLog();
    log.append(importStream('run-1'), importFinished());
    log.append(importStream('run-2'), importFinished({ importRun: 'run-2' }));
    log.append(importStream('run-1', 'w2'), importFinished({ workspaceId: 'w2' }));
    given(...log.events).then({
      'w1/run-1': { workspaceId: 'w1' },
      'w1/run-2': { importRun: 'run-2' },
      'w2/run-1': { workspaceId: 'w2' },
    });
  });

  it('takes nothing from other streams', () => {
    for (const stream of [STREAM, 'history-w1/run-1', 'registry-w1']) given(...recordedIn(stream, importFinished())).thenNothing();
  });

  it('a surface may be called as members of every object are', () => {
    // As JSON text: in a literal it would set the prototype.
    const surfaces = JSON.parse(`{"__proto__":${JSON.stringify(fates({ derivedCopy: 1 }))}}`) as Record<string, ReturnType<typeof fates>>;
    const events = recordedIn(importStream('run-1'), importFinished({ surfaces }), importFinished({ surfaces }));
    expect(Object.entries(given(...events).doc('w1/run-1').surfaces)).toEqual([['__proto__', fates({ derivedCopy: 2 })]]);
  });
});
