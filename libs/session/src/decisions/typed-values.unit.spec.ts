import {
  dispatchToolCall,
  freeJson,
  givenOpened,
  operationIdFor,
  played,
  reportResult,
  requestToolCall,
  type GivenSession,
} from '@counterfoil/testing';
import fc from 'fast-check';

/** The text that was recorded in the last event's payload. */
function recorded(given: GivenSession, of: 'arguments' | 'result'): string {
  const data: unknown = given.events.at(-1)?.data;
  return (data as Record<typeof of, { readonly json: string }>)[of].json;
}

const requested = (args: string): GivenSession => played(givenOpened(), requestToolCall({ args }));
const reported = (output: string): GivenSession =>
  played(givenOpened(), requestToolCall(), dispatchToolCall(), reportResult({ output: freeJson(output) }));

const TYPED = [
  '{"n":1,"b":false,"z":null,"list":["1",1,true],"empty":{},"none":[]}',
  '[0,-0,1e21,1.50,123456789012345683968,-1.5E-7]',
  '{"a":{"b":{"c":{"d":{"e":{"f":[[[[["deep"]]]]]}}}}}}',
  ' { "spaced" : "\\u0041\\/\\n" } ',
];

describe('typed values', () => {
  it.each(TYPED)('%s comes back as it was sent, as arguments and as a result', (json) => {
    expect(recorded(requested(json), 'arguments')).toBe(json);
    expect(recorded(reported(json), 'result')).toBe(json);
  });

  it('of any kind come back as they were sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(recorded(reported(json), 'result')).toBe(json);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, unknown]>([
    ['"it took 42 seconds"', 'it took 42 seconds'],
    ['"token=FAKEabc1"', 'token=[redacted:text.token:8]'],
    ['42', 42],
    ['-0.5', -0.5],
    ['null', null],
    ['true', true],
    ['""', ''],
    ['[]', []],
  ])('that are one value stay JSON of their type: %s', (json, expected) => {
    expect(JSON.parse(recorded(reported(json), 'result'))).toEqual(expected);
  });
});

describe('two operations', () => {
  it('are two where the arguments differ by one character in five thousand, or by the kind of a line end', () => {
    const long = (end: string): string => JSON.stringify({ text: 'x'.repeat(4999) + end });
    const lines = ['a\nb', 'a\r\nb', 'a\rb', 'a\u2028b', 'a\n b', ' a\nb'].map((text) => JSON.stringify({ text }));
    const ids = [long('a'), long('b'), ...lines].map((args) => operationIdFor(args));
    expect(new Set(ids).size).toBe(8);
    const operationOf = (given: GivenSession): unknown => (given.events.at(-1)?.data as { operationId: string }).operationId;
    expect(operationOf(requested(long('a')))).toBe(ids[0]);
  });
});
