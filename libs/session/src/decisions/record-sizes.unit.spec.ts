import { admitArguments } from '@counterfoil/canonical';
import { APPEND_LIMIT_BYTES, EVENT_LIMIT_BYTES } from '@counterfoil/contracts';
import {
  after,
  closeSession,
  dispatchToolCall,
  freeJson,
  freeText,
  givenSession,
  openSession,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  sweep,
  type ActedEvent,
  type GivenSession,
} from '@counterfoil/testing';

/** More than any event has in metadata, id, type and hashes together: the longest actor, times, correlation and trace. */
const METADATA_BYTES = 1024;
const bytesOf = (events: readonly ActedEvent[]): number =>
  events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)) + METADATA_BYTES, 0);
const largestOf = (events: readonly ActedEvent[]): number => Math.max(...events.map((event) => bytesOf([event])));

const LONGEST = { sessionId: 's'.repeat(128), userId: 'u'.repeat(128) };
const opened = (): GivenSession => played(givenSession(), openSession(LONGEST));
const RECEIPT = receiptIdFor('call_0', 'turn-1', LONGEST.sessionId);
const running = (): GivenSession => played(opened(), requestToolCall({ args: '{}' }), dispatchToolCall({ receiptId: RECEIPT, args: '{}' }));

/** Texts that grow the most on their way: JSON in JSON doubles quotes and backslashes. */
const HOSTILE: [string, string][] = [
  ['quotes', JSON.stringify('"'.repeat(70_000))],
  ['backslashes', JSON.stringify('\\'.repeat(70_000))],
  ['quotes up to the limit of one payload', JSON.stringify('"'.repeat(16_000))],
  ['empty strings', JSON.stringify(Array.from({ length: 70_000 }, () => ''))],
  ['control characters', JSON.stringify('\u0001'.repeat(70_000))],
  ['emoji', JSON.stringify('🙂'.repeat(20_000))],
  ['lone surrogates', JSON.stringify('\ud800'.repeat(20_000))],
  [
    'secrets under long names',
    JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${'k'.repeat(200)}${n}_password`, `FAKE-${n}-xYz9w`]))),
  ],
];

describe('a record of hostile size', () => {
  it.each(HOSTILE)('of %s is recorded all the same, in every place at once', (_, json) => {
    const hostile = requestToolCall({
      callId: '\u0001'.repeat(512),
      turn: '\u0001'.repeat(512),
      tool: { source: '\u0001'.repeat(256), name: '\u0001'.repeat(256), declared: admitArguments(json).ok ? json : null },
      args: json,
    });
    const { events } = played(
      running(),
      hostile,
      reportResult({
        receiptId: RECEIPT,
        outcome: { status: 'failed', signal: 's'.repeat(128), error: { code: 'c'.repeat(128), message: freeJson(json) } },
        output: freeText(json),
        observation: {
          method: 'm'.repeat(128),
          observer: 'o'.repeat(128),
          exists: true,
          sha256: 'ab'.repeat(32),
          bytes: Number.MAX_SAFE_INTEGER,
        },
      }),
      closeSession({ reason: freeText(json) }),
    );
    expect(events.map((event) => event.type)).toEqual(expect.arrayContaining(['ToolCallRequested', 'ToolExecuted', 'SessionClosed']));
    expect(largestOf(events)).toBeLessThanOrEqual(EVENT_LIMIT_BYTES);
  });

  it('keeps what is small whole beside what is large', () => {
    const json = JSON.stringify('"'.repeat(70_000));
    const { events } = played(
      running(),
      reportResult({
        receiptId: RECEIPT,
        output: freeJson(json),
        outcome: { error: { code: null, message: freeJson(json) } },
        observation: { method: 'stat', observer: 'runtime', exists: false, sha256: null, bytes: null },
      }),
    );
    expect(events.at(-1)).toMatchObject({
      type: 'ToolExecuted',
      data: { result: { state: 'cut' }, outcome: { error: { message: { state: 'cut' } } }, observation: { state: 'whole' } },
    });
  });

  it('is cut no further than one payload is when it stands alone', () => {
    const json = JSON.stringify('"'.repeat(16_000));
    const { events } = played(opened(), requestToolCall({ args: json }));
    expect(events[1]).toMatchObject({ data: { arguments: { state: 'whole', json } } });
  });
});

describe('an append of the longest names', () => {
  it('stays under its limit when a close or a sweep ends as many calls as it takes', () => {
    const requests = Array.from({ length: 600 }, (_, n) =>
      requestToolCall({ callId: `call_${n}`, args: '{}', requireApproval: true, approvalExpiresSeconds: 60 }),
    );
    const given = played(opened(), ...requests);
    const reason = freeText('"'.repeat(70_000));
    for (const plays of [[closeSession({ reason })], [[sweep(), after(60)]], [closeSession(), sweep()]] as const) {
      let before = given;
      for (const play of plays) {
        const longer = played(before, play);
        const added = longer.events.slice(before.events.length);
        expect(added.length).toBeGreaterThan(200);
        expect(bytesOf(added)).toBeLessThanOrEqual(APPEND_LIMIT_BYTES);
        before = longer;
      }
    }
  });
});
