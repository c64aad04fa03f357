import { OutcomeStatus } from '@counterfoil/contracts';
import {
  directoryOf,
  dispatchToolCall,
  freeJson,
  freeText,
  givenOpened,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  RUN,
  runArguments,
  runSpec,
  stateAfter,
} from '@counterfoil/testing';
import fc from 'fast-check';

/** “Error”, or “failed”, in many languages; and what programs print of it. */
const OF_FAILURE = [
  ...[
    'error',
    'Fehler',
    'erreur',
    'errore',
    'erro',
    'fout',
    'fejl',
    'virhe',
    'błąd',
    'chyba',
    'hiba',
    'eroare',
    'hata',
    'lỗi',
    'kesalahan',
  ],
  ...[
    'ошибка',
    'помилка',
    'σφάλμα',
    'שגיאה',
    'خطأ',
    'त्रुटि',
    'ข้อผิดพลาด',
    '오류',
    'エラー',
    '错误',
    'not found',
    'Traceback',
    'FAILED (errors=1)',
  ],
];
const OF_SUCCESS = ['ok', 'All tests passed', '0 errors', 'fertig', 'succès', 'готово', '成功', 'exit code 0'];

const registry = directoryOf({ tools: [runSpec()] });
const args = runArguments('make');
const running = played(
  givenOpened(),
  [requestToolCall({ tool: { ...RUN, declared: null }, args }), { registry }],
  [dispatchToolCall({ operationId: operationIdFor(args, RUN) }), { registry }],
);

const anyWords = fc.oneof(fc.constantFrom(...OF_FAILURE, ...OF_SUCCESS), fc.string({ unit: 'binary', maxLength: 40 }));
const anyReport = fc.record({
  status: fc.constantFrom(...OutcomeStatus.options),
  exitCode: fc.constantFrom(null, 0, 3),
  isError: fc.constantFrom(null, true, false),
  output: fc.array(anyWords, { minLength: 1, maxLength: 4 }),
  message: fc.option(anyWords),
  asJson: fc.boolean(),
});

describe('whatever words a result has', () => {
  it('its status is the one that was reported, and its verification that of its exit code', () => {
    fc.assert(
      fc.property(anyReport, ({ status, exitCode, isError, output, message, asJson }) => {
        const given = played(
          running,
          reportResult({
            outcome: { status, exitCode, isError, error: message === null ? null : { code: null, message: freeText(message) } },
            output: asJson ? freeJson(JSON.stringify(output)) : freeText(output.join('\n')),
          }),
        );
        const ran = status === 'succeeded' || status === 'failed' ? exitCode : null;
        expect(stateAfter(given.events).find(receiptIdFor())?.status).toBe(status);
        expect(given.events.at(-1)).toMatchObject({
          type: 'ToolExecuted',
          data: {
            outcome: { status, exitCode, isError },
            verification: { state: ran === null ? 'unavailable' : ran === 0 ? 'verified' : 'failed' },
          },
        });
      }),
      { numRuns: 400 },
    );
  });
});
