// Lints samples as if they were files of this repository, with its own configuration, and tells which rules each of them breaks.
// stdin: a JSON array of {file, code}; a sample without code is read from the file. stdout: a JSON array of arrays of rule names.
import { ESLint } from 'eslint';
import { text } from 'node:stream/consumers';
import { inRoot, root } from '../support/root.mjs';

// The files need not exist, so TypeScript can't know their types: only rules that read the file itself and its imports are run.
const eslint = new ESLint({
  cwd: root,
  ignore: false,
  overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } }],
  ruleFilter: ({ ruleId }) => !ruleId.startsWith('@typescript-eslint/'),
});

async function rulesBroken({ file, code }) {
  const results = code === undefined ? await eslint.lintFiles([file]) : await eslint.lintText(code, { filePath: inRoot(file) });
  const messages = results.flatMap((result) => result.messages);
  const fatal = messages.find((message) => message.fatal);
  if (fatal !== undefined) throw new Error(`${file}: ${fatal.message}`);
  return [...new Set(messages.map((message) => message.ruleId))];
}

const answers = [];
for (const sample of JSON.parse(await text(process.stdin))) answers.push(await rulesBroken(sample));
process.stdout.write(JSON.stringify(answers));
