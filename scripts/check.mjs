// The static checks: node scripts/check.mjs [typecheck] [lint] [format:check]. Without names all of them, also after one has failed.
import { bootstrap } from './bootstrap.mjs';
import { ChildFailed, runInstalled, runMain } from './support/process.mjs';
import { say } from './support/root.mjs';

const CHECKS = {
  typecheck: () => runInstalled('typescript/bin/tsc', ['-p', '.']),
  // Includes the boundaries between the parts, and that no file depends on itself through others.
  lint: () => runInstalled('eslint/bin/eslint.js', ['.', '--max-warnings=0']),
  'format:check': () => runInstalled('prettier/bin/prettier.cjs', ['--check', '--log-level=warn', '.']),
};

async function passes(name) {
  try {
    await CHECKS[name]();
    say(`ok      ${name}`);
    return true;
  } catch (error) {
    if (!(error instanceof ChildFailed) || error.signal) throw error;
    say(`FAILED  ${name}`);
    return false;
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CHECKS);
const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  say(`No such check: ${unknown.join(', ')}. There are: ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}
await runMain(async () => {
  await bootstrap();
  for (const name of names) if (!(await passes(name))) process.exitCode = 1;
});
