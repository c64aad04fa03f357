import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SELF = 'test/tooling/self-contained.e2e.spec.ts';

/** Every source and spec, by path. */
const files = new Map(
  ['apps', 'libs', 'test'].flatMap((top) =>
    readdirSync(path.join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(top, name.replaceAll(path.sep, '/')))
      .filter((file) => file.endsWith('.ts') && file !== SELF)
      .map((file): [string, string] => [file, readFileSync(path.join(ROOT, file), 'utf8')]),
  ),
);

/** The files of production code whose text has something. */
const inProduction = (what: RegExp): string[] =>
  [...files].filter(([file, text]) => !/^test\/|\.spec\.ts$|\/testing\//.test(file) && what.test(text)).map(([file]) => file);

/** The first argument of each call that starts a program. */
function programs(): Set<string> {
  const found = new Set<string>();
  for (const [file, text] of files) {
    if (!text.includes('node:child_process')) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const callee = ts.isCallExpression(node) ? node.expression.getText() : '';
      if (ts.isCallExpression(node) && /^(promisify\()?(spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\)?$/.test(callee))
        if (node.arguments[0] !== undefined && !callee.endsWith('fork')) found.add(node.arguments[0].getText());
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  // `promisify(execFile)` itself names no program.
  found.delete('execFile');
  return found;
}

describe('the repository needs nothing from outside', () => {
  it('reads no home directory, neither in production nor in specs', () => {
    const readers = [...files].filter(([, text]) => /\bhomedir\b|\benv(ironment)?(\.HOME\b|\[['"](HOME|USERPROFILE)['"])/.test(text));
    expect(readers.map(([file]) => file)).toEqual([]);
  });

  it('calls nobody over the network but the ledger itself: the command line asks its server', () => {
    expect(inProduction(/(?<![.\w])fetch\(/)).toEqual(['apps/cli/src/api.ts']);
    const modules = /^import (?!type).*from '(node:)?(http|https|http2|net|tls|dns|dgram)'/m;
    expect(inProduction(modules)).toEqual([]);
  });

  it('starts no program in its specs but Node, a shell, that of SQLite, and that of OpenSSL, without which TLS is left out', () => {
    expect([...programs()].sort()).toEqual(["'openssl'", "'sh'", "'sqlite3'", 'process.execPath']);
  });
});
