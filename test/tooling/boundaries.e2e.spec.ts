import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** A file as it might be written, and the rules that should stop it. */
interface Sample {
  readonly name: string;
  readonly file: string;
  readonly code?: string;
  readonly breaks: readonly string[];
}

const root = path.resolve(import.meta.dirname, '../..');
const DEPENDENCIES = 'boundaries/dependencies';

/** The arrows of design section 5, written down a second time: what is not here is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  canonical: ['contracts'],
  redaction: ['contracts', 'canonical'],
  session: ['contracts', 'canonical', 'redaction'],
  'event-store': ['contracts', 'canonical'],
  'read-models': ['contracts', 'canonical', 'event-store'],
  projections: ['contracts', 'event-store', 'read-models'],
  history: ['contracts', 'canonical', 'redaction', 'event-store'],
  audit: ['contracts', 'canonical', 'event-store'],
  client: ['contracts'],
  ledger: ['contracts', 'canonical', 'redaction', 'session', 'event-store', 'read-models', 'projections', 'history', 'audit'],
  testing: 'contracts canonical redaction session event-store read-models projections history audit client ledger'.split(' '),
};
const LIBS = Object.keys(MAY_IMPORT);
const WITHOUT_TESTING = LIBS.filter((lib) => lib !== 'testing');

const importing = (source: string): string => `import { thing } from '${source}';\nexport const other = thing;\n`;

function imports(file: string, source: string, breaks: readonly string[]): Sample {
  return { name: `${file} imports ${source}`, file, code: importing(source), breaks };
}
const refused = (file: string, source: string): Sample => imports(file, source, [DEPENDENCIES]);
const fine = (file: string, source: string): Sample => imports(file, source, []);

function arrow(to: string, file: string, allowed: readonly string[]): Sample {
  return allowed.includes(to) ? fine(file, `@counterfoil/${to}`) : refused(file, `@counterfoil/${to}`);
}

const arrows: readonly Sample[] = [
  ...LIBS.flatMap((from) => LIBS.map((to) => arrow(to, `libs/${from}/src/sample.ts`, MAY_IMPORT[from] ?? []))),
  ...['server', 'projector', 'cli'].flatMap((app) => LIBS.map((to) => arrow(to, `apps/${app}/src/sample.ts`, WITHOUT_TESTING))),
  fine('libs/contracts/src/sample.unit.spec.ts', '@counterfoil/testing'),
  fine('apps/server/src/sample.int.spec.ts', '@counterfoil/testing'),
  fine('libs/contracts/src/testing/sample.ts', '@counterfoil/testing'),
  fine('libs/history/src/deeper/testing/sqlite/sample.ts', '@counterfoil/testing'),
  refused('libs/contracts/src/sample.unit.spec.ts', '@counterfoil/session'),
  refused('libs/contracts/src/testing/sample.ts', '@counterfoil/session'),
  refused('apps/cli/src/sample.ts', '../../server/src/main.js'),
  refused('apps/cli/src/sample.unit.spec.ts', '../../server/src/main.js'),
  refused('apps/projector/src/sample.ts', '../../server/src/runtime/shutdown.js'),
  fine('test/chaos/sample.ts', '@counterfoil/testing'),
  fine('test/chaos/sample.ts', '../../apps/server/src/main.js'),
];

const crossings: readonly Sample[] = [
  refused('libs/session/src/sample.ts', '../../contracts/src/index.js'),
  refused('libs/session/src/sample.unit.spec.ts', '../../contracts/src/index.js'),
  refused('libs/session/src/sample.ts', '@counterfoil/contracts/src/index.js'),
  refused('apps/server/src/sample.ts', '../../../libs/contracts/src/index.js'),
  refused('test/chaos/sample.ts', '../../libs/contracts/src/index.js'),
  refused('libs/contracts/src/sample.ts', '../../../test/tooling/samples/cycle-one.js'),
  refused('libs/contracts/src/sample.ts', '@counterfoil/contracts'),
  fine('libs/contracts/src/sample.ts', './index.js'),
  fine('libs/contracts/src/deeper/sample.ts', '../index.js'),
  fine('libs/history/src/sample.unit.spec.ts', './testing/items.js'),
  fine('libs/history/src/sample.child.ts', './testing/items.js'),
  fine('libs/history/src/testing/sample.ts', './items.js'),
  refused('libs/history/src/sample.ts', './testing/items.js'),
  refused('libs/history/src/input/sample.ts', '../testing/sqlite/old-database.js'),
  { ...refused('libs/nowhere/src/sample.ts', './sample.js'), breaks: ['boundaries/no-unknown-files'] },
];

const packages: readonly Sample[] = [
  ...['contracts', 'redaction', 'session'].flatMap((lib) =>
    ['node:crypto', 'node:fs', 'fs', 'better-sqlite3', '@nestjs/common', 'fastify', 'rxjs'].map((source) =>
      refused(`libs/${lib}/src/sample.ts`, source),
    ),
  ),
  fine('libs/contracts/src/sample.ts', 'zod'),
  fine('libs/canonical/src/sample.ts', 'node:crypto'),
  fine('libs/canonical/src/sample.ts', 'node:buffer'),
  refused('libs/canonical/src/sample.ts', 'node:fs'),
  fine('libs/session/src/sample.unit.spec.ts', 'node:fs'),
  fine('libs/session/src/sample.unit.spec.ts', 'fast-check'),
  fine('libs/event-store/src/sample.ts', 'node:fs'),
  fine('libs/event-store/src/sqlite/sample.ts', 'better-sqlite3'),
  refused('libs/event-store/src/sample.ts', 'better-sqlite3'),
  refused('libs/session/src/sqlite/sample.ts', '@nestjs/common'),
  refused('libs/projections/src/sample.ts', 'better-sqlite3'),
  refused('apps/server/src/sample.ts', 'better-sqlite3'),
  fine('libs/event-store/src/eventstoredb/sample.ts', '@eventstore/db-client'),
  refused('libs/event-store/src/sample.ts', '@eventstore/db-client'),
  refused('libs/testing/src/eventstoredb/sample.ts', '@eventstore/db-client'),
  refused('libs/projections/src/sample.ts', '@eventstore/db-client'),
  refused('apps/server/src/sample.ts', '@eventstore/db-client'),
  refused('test/chaos/sample.ts', '@eventstore/db-client'),
  ...['@grpc/grpc-js', 'google-protobuf', '@eventstore/db-client/generated/streams_pb.js'].flatMap((source) => [
    fine('libs/testing/src/eventstoredb/sample.ts', source),
    refused('libs/event-store/src/eventstoredb/sample.ts', source),
    refused('libs/testing/src/sample.ts', source),
  ]),
  fine('libs/read-models/src/mongodb/sample.ts', 'mongodb'),
  fine('libs/testing/src/mongodb/sample.ts', 'mongodb'),
  fine('test/chaos/sample.ts', 'mongodb'),
  refused('libs/read-models/src/sample.ts', 'mongodb'),
  refused('libs/read-models/src/sqlite/sample.ts', 'mongodb'),
  refused('libs/projections/src/sample.ts', 'mongodb'),
  refused('libs/testing/src/projections/sample.ts', 'mongodb'),
  refused('libs/session/src/mongodb/sample.ts', 'mongodb'),
  refused('apps/server/src/sample.ts', 'mongodb'),
  refused('libs/read-models/src/receipts/projection.ts', 'node:fs'),
  refused('libs/read-models/src/receipts/projection.ts', 'better-sqlite3'),
  refused('libs/read-models/src/receipts/projection.ts', '@nestjs/cqrs'),
  refused('libs/read-models/src/receipts/receipts-projection.ts', 'node:fs'),
  refused('libs/event-store/src/sample.ts', '@nestjs/common'),
  fine('libs/ledger/src/sample.ts', '@nestjs/cqrs'),
  fine('apps/server/src/sample.ts', '@nestjs/common'),
];

const otherRules: readonly Sample[] = [
  { name: 'two files that import each other', file: 'test/tooling/samples/cycle-one.ts', breaks: ['import-x/no-cycle'] },
  {
    name: 'a decision that asks the clock',
    file: 'libs/session/src/sample.ts',
    code: 'export const now = (): number => Date.now();\n',
    breaks: ['no-restricted-properties'],
  },
  {
    name: 'a decision that makes a date of now',
    file: 'libs/session/src/sample.ts',
    code: 'export const now = (): Date => new Date();\n',
    breaks: ['no-restricted-syntax'],
  },
  ...['sample.ts', 'sample.unit.spec.ts', 'sample.int.spec.ts'].flatMap((file) => [
    { name: `300 lines in ${file}`, file: `libs/history/src/${file}`, code: 'export {};\n'.repeat(300), breaks: [] },
    // Comments and blank lines count too.
    {
      name: `301 lines in ${file}`,
      file: `libs/history/src/${file}`,
      code: '// one\n\n\n'.repeat(100) + 'export {};\n',
      breaks: ['max-lines'],
    },
  ]),
  { name: '301 lines in an end-to-end spec', file: 'test/sample.e2e.spec.ts', code: '//\n'.repeat(301), breaks: ['max-lines'] },
  {
    name: 'a lib that prints',
    file: 'libs/history/src/sample.ts',
    code: "console.log('printed');\n",
    breaks: ['no-console'],
  },
  {
    name: 'a type-only import across a boundary',
    file: 'libs/session/src/sample.ts',
    code: "import type { Database } from 'better-sqlite3';\nexport type Other = Database;\n",
    breaks: [DEPENDENCIES],
  },
  {
    name: 'a re-export across a boundary',
    file: 'libs/contracts/src/sample.ts',
    code: "export * from '@counterfoil/canonical';\n",
    breaks: [DEPENDENCIES],
  },
  {
    name: 'a dynamic import across a boundary',
    file: 'libs/contracts/src/sample.ts',
    code: "export const later = () => import('@counterfoil/canonical');\n",
    breaks: [DEPENDENCIES],
  },
];

/** An import that is allowed can only be seen to be so if there is something to import. */
function isThere(sample: Sample): boolean {
  const lib = /@counterfoil\/([a-z-]+)'/.exec(sample.code ?? '')?.[1];
  return sample.breaks.length > 0 || lib === undefined || existsSync(path.join(root, 'libs', lib, 'src/index.ts'));
}

/** In a process of its own: ESLint and its plugins are CommonJS and native code, which jest's module loader has no use for. */
function lint(samples: readonly Sample[]): string[][] {
  const child = spawnSync(process.execPath, [path.join(root, 'scripts/eslint/lint-samples.mjs')], {
    cwd: root,
    input: JSON.stringify(samples.map(({ file, code }) => ({ file, code }))),
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as string[][];
}

describe('the boundaries between the parts', () => {
  const samples = [...arrows, ...crossings, ...packages, ...otherRules].filter(isThere);
  let broken: string[][] = [];

  beforeAll(() => {
    broken = lint(samples);
  }, 120_000);

  it.each(samples.map((sample, index) => ({ ...sample, index, verdict: sample.breaks.length > 0 ? 'refuses' : 'allows' })))(
    'lint $verdict: $name',
    ({ index, breaks }) => {
      expect(broken[index]).toEqual(breaks);
    },
  );
});
