import { readBody } from '@counterfoil/canonical';
import { LegacyExecutionBody, type RawValue } from '@counterfoil/contracts';
import { LEGACY_RAW } from './raw-members.js';
import { oldArguments } from './old-arguments.js';

/** Arguments as they are read from a body. */
function argsIn(json: string): RawValue | null {
  const body = readBody(new TextEncoder().encode(`{"action":"x","success":null,"args":${json}}`), { raw: LEGACY_RAW, maxDepth: 32 });
  return LegacyExecutionBody.parse(body).args ?? null;
}

const read = (tool: string, json: string) => oldArguments(tool, argsIn(json));

describe('old arguments', () => {
  it.each([
    ['run_cmd', '"npm test"', '{"command":"npm test"}'],
    ['write_file', '"a.txt|x|y"', '{"content":"x|y","path":"a.txt"}'],
    ['find_files', '"*.md"', '{"pattern":"*.md"}'],
    ['anything', '"a|b"', '{"args":"a|b"}'],
    ['write_file', '"no bar"', '{"args":"no bar"}'],
    ['read_file', '{"file_path":"a"}', '{"path":"a"}'],
    ['run_cmd', '{"cmd":"ls"}', '{"command":"ls"}'],
    ['anything', '{"file_path":1}', '{"file_path":1}'],
    ['anything', '{"__proto__":{"a":1},"7":[]}', '{"7":[],"__proto__":{"a":1}}'],
    ['anything', '[1,"two"]', '{"args":[1,"two"]}'],
    ['anything', '7', '{"args":7}'],
    ['anything', 'false', '{"args":false}'],
  ])('of %s, %s, are structured as records of history are', (tool, json, canonical) => {
    expect(read(tool, json).admission).toMatchObject({ ok: true, canonical });
  });

  it('are none where there are none', () => {
    expect(oldArguments('read_file', null)).toMatchObject({ admission: { ok: true, canonical: 'null' }, text: '' });
  });

  it('are a text for the old rules only where they came as one', () => {
    expect(read('read_file', '"a\\u0062 c\\n"').text).toBe('ab c\n');
    expect(read('read_file', '""').text).toBe('');
    for (const json of ['{"path":"a"}', '["a"]', '7']) expect(read('read_file', json).text).toBeNull();
  });

  it.each([
    ['{"a":1,"a":2}', 'arguments_duplicate_key'],
    ['{"n":9007199254740993}', 'arguments_integer_not_exact'],
    ['[1e999]', 'arguments_number_out_of_range'],
    ['{"a":NaN}', 'arguments_not_json'],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 'arguments_too_deep'],
    ['"\\ud800"', 'arguments_lone_surrogate'],
  ])('with no exact form stand as they came: %.20s', (json, code) => {
    expect(read('read_file', json).admission).toMatchObject({ ok: false, code });
  });

  it('of a hundred thousand levels are read without running out of stack', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(read('read_file', deep).admission).toMatchObject({ ok: false, code: 'arguments_too_deep', text: deep });
  });

  it('with bytes that are no text have no exact form', () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"action":"x","success":null,"args":"a'), 0xff, 0x22, 0x7d]);
    const args = LegacyExecutionBody.parse(readBody(bytes, { raw: LEGACY_RAW, maxDepth: 32 })).args ?? null;
    expect(oldArguments('read_file', args).admission).toMatchObject({ ok: false, anomalies: ['invalid_utf8'] });
  });
});
