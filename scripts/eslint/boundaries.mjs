// Which part may import which: the arrows of docs/architecture.md, and what each part may take from npm and from Node.
// test/tooling/boundaries.e2e.spec.ts shows that each of these rules fires.

/** Each lib, with the libs below it. A folder in libs/ that is missing here is an error. */
export const LIBS = {
  contracts: [],
  canonical: ['contracts'],
  redaction: ['contracts', 'canonical'],
  session: ['contracts', 'canonical', 'redaction'],
  // The tool registry and the policy of a workspace; the session's decider sees it through an interface of its own.
  registry: ['contracts', 'canonical', 'redaction', 'session'],
  'event-store': ['contracts', 'canonical'],
  'read-models': ['contracts', 'canonical', 'event-store'],
  projections: ['contracts', 'event-store', 'read-models'],
  history: ['contracts', 'canonical', 'redaction', 'event-store'],
  audit: ['contracts', 'canonical', 'event-store'],
  client: ['contracts'],
  // What every program does around its work: log lines, signals, its last words.
  runtime: ['redaction'],
  ledger: ['contracts', 'canonical', 'redaction', 'session', 'registry', 'event-store', 'read-models', 'projections', 'history', 'audit'],
  testing: [
    'contracts',
    'canonical',
    'redaction',
    'session',
    'registry',
    'event-store',
    'read-models',
    'projections',
    'history',
    'audit',
    'client',
    'ledger',
  ],
};

export const APPS = ['server', 'projector', 'cli', 'mcp-gateway', 'console'];

/** Everything that has a place of its own; the end-to-end, chaos and bench programs share one. */
const PARTS = [...Object.keys(LIBS), ...APPS, 'test'];

/** Specs, and what only they use. */
const FOR_SPECS = ['spec', 'testing'];

/** What runs in production may not see the test helpers. */
const RUNTIME_LIBS = Object.keys(LIBS).filter((lib) => lib !== 'testing');

/** Nest holds the outer parts together; what is below them stays usable without it. */
const NEST_PARTS = ['ledger', 'testing', 'test', ...APPS];

const element = (type) => ({ element: { type } });
const external = (source) => ({ module: { origin: 'external', source } });
const within = (source, internalPath) => ({ module: { origin: 'external', source, internalPath } });
const core = (source) => ({ module: source === undefined ? { origin: 'core' } : { origin: 'core', source } });

/** Libs of pure functions: from Node and npm only what is named. */
export const PURE_LIBS = {
  contracts: [external('zod')],
  canonical: [core(['*crypto', '*buffer'])],
  redaction: [],
  session: [],
  registry: [external(['ajv', 'ajv/*', 'ajv-formats', 're2js'])],
};

/** Only through the alias, so only through the index: a relative path into another lib is refused. */
const viaIndex = { source: '@counterfoil/*' };

function arrows() {
  const libs = Object.entries(LIBS).map(([lib, below]) => ({
    from: element(lib),
    allow: { to: element(below), dependency: viaIndex },
    message: `libs/${lib} may import ${below.length > 0 ? `only ${below.join(', ')}` : 'no other lib'}, and those by @counterfoil/<lib>`,
  }));
  const apps = { from: element(APPS), allow: { to: element(RUNTIME_LIBS), dependency: viaIndex } };
  // What specs share stands beside them in a folder `testing`, or is a program that they start.
  const specs = {
    from: { file: { categories: FOR_SPECS } },
    allow: { to: element('testing'), dependency: viaIndex },
  };
  // End-to-end tests may also reach into an app; nothing imports them.
  const tests = [
    { from: element('test'), allow: { to: element(Object.keys(LIBS)), dependency: viaIndex } },
    { from: element('test'), allow: { to: element(APPS) } },
  ];
  return [...libs.filter((policy) => policy.allow.to.element.type.length > 0), apps, specs, ...tests];
}

/** Inside a part by relative paths; by its own alias a file would import itself through the index. */
const inside = [
  { from: element(PARTS), allow: { dependency: { relationship: { to: 'internal' } } } },
  {
    from: element(PARTS),
    disallow: { dependency: { relationship: { to: 'internal' }, ...viaIndex } },
    message: 'Import files of the same lib by a relative path',
  },
  {
    from: element(PARTS),
    disallow: { to: { file: { categories: 'testing' } }, dependency: { relationship: { to: 'internal' } } },
    message: 'A folder `testing` is for specs',
  },
  {
    from: { file: { categories: FOR_SPECS } },
    allow: { to: { file: { categories: 'testing' } }, dependency: { relationship: { to: 'internal' } } },
  },
];

/** Later policies win over earlier ones. */
function packages() {
  const anything = [external('*'), external('@*/*'), core()];
  const frameworks = external(['@nestjs/*', 'fastify', '@fastify/*']);
  return [
    { from: element(PARTS), allow: { to: anything } },
    {
      from: element(Object.keys(PURE_LIBS)),
      disallow: { to: anything },
      message: 'This lib is pure: what it needs from the outside comes in as an argument',
    },
    ...Object.entries(PURE_LIBS).flatMap(([lib, allowed]) => allowed.map((to) => ({ from: element(lib), allow: { to } }))),
    {
      from: { element: { type: 'read-models' }, file: { categories: 'projection' } },
      disallow: { to: core() },
      message: 'A projection is pure: it gets the event and the document, and gives the document back',
    },
    { from: { file: { categories: 'spec' } }, allow: { to: anything } },
    { from: element(PARTS), disallow: { to: frameworks }, message: 'Nest and Fastify belong to the apps and to libs/ledger' },
    { from: element(NEST_PARTS), allow: { to: frameworks } },
    {
      from: element(PARTS),
      disallow: { to: external('better-sqlite3') },
      message: 'better-sqlite3 stays behind the ports, in a folder named sqlite',
    },
    { from: [{ file: { categories: 'sqlite' } }, element('test')], allow: { to: external('better-sqlite3') } },
    {
      from: element(PARTS),
      disallow: { to: external(['mongodb', 'bson']) },
      message: "The driver of MongoDB stays behind the ports, in read-models' folder mongodb",
    },
    { from: [{ file: { categories: 'mongodb' } }, element('test')], allow: { to: external('mongodb') } },
    {
      from: element(PARTS),
      disallow: { to: external(['@eventstore/db-client', '@grpc/grpc-js', 'google-protobuf']) },
      message: "The client of EventStoreDB stays behind the port, in event-store's folder eventstoredb; its wire in the one of testing",
    },
    {
      from: { element: { type: 'event-store' }, file: { categories: 'eventstoredb' } },
      allow: { to: within('@eventstore/db-client', null) },
    },
    // What the client was generated from, and no client.
    {
      from: { element: { type: 'testing' }, file: { categories: 'eventstoredb' } },
      allow: [{ to: within('@eventstore/db-client', 'generated/*') }, { to: external(['@grpc/grpc-js', 'google-protobuf']) }],
    },
    {
      from: element(Object.keys(PURE_LIBS)),
      disallow: { to: external(['better-sqlite3', 'mongodb']) },
      message: 'A pure lib has no database',
    },
    { from: element(PARTS), disallow: { to: external('@counterfoil/*') }, message: 'There is no such lib' },
  ];
}

/** @param {string} rootPath the repository */
export const boundarySettings = (rootPath) => ({
  'boundaries/root-path': rootPath,
  'boundaries/legacy-templates': false,
  'boundaries/elements': [
    ...Object.keys(LIBS).map((lib) => ({ type: lib, pattern: `libs/${lib}`, partialMatch: false })),
    ...APPS.map((app) => ({ type: app, pattern: `apps/${app}`, partialMatch: false })),
    { type: 'test', pattern: 'test', partialMatch: false },
  ],
  'boundaries/files': [
    { category: 'spec', pattern: '**/*.spec.ts' },
    { category: 'testing', pattern: '{libs,apps}/*/src/**/testing/**' },
    { category: 'testing', pattern: '{libs,apps}/*/src/**/*.child.ts' },
    { category: 'sqlite', pattern: '**/sqlite/**' },
    { category: 'mongodb', pattern: 'libs/{read-models,testing}/src/mongodb/**' },
    { category: 'eventstoredb', pattern: 'libs/{event-store,testing}/src/eventstoredb/**' },
    { category: 'projection', pattern: 'libs/read-models/src/**/*projection.ts' },
  ],
});

export const boundaryRules = {
  'boundaries/dependencies': [
    'error',
    {
      default: 'disallow',
      checkAllOrigins: true,
      checkUnknownLocals: true,
      checkInternals: true,
      policies: [...inside, ...arrows(), ...packages()],
    },
  ],
  'boundaries/no-unknown-files': 'error',
};
