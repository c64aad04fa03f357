import { availableParallelism } from 'node:os';

// One config, three projects: unit (pure), integration (real files, sockets, databases) and e2e (whole processes).
const shared = {
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/test/support/property-seed.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: false },
          target: 'es2023',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^@counterfoil/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

// A machine that is busy with something else is no reason to fail: no test here is about time.
export default {
  testTimeout: 60_000,
  // Much of it waits for disks and processes: two at once also where there are only two cores.
  maxWorkers: Math.max(2, Math.floor(availableParallelism() * 0.75)),
  // Modules of a spec stay in the memory of the process that ran it, which slows down with all that it must look through: some gigabytes
  // after three hundred specs. It is replaced before.
  workerIdleMemoryLimit: '1GB',
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  collectCoverageFrom: [
    'libs/*/src/**/*.ts',
    'apps/*/src/**/*.ts',
    '!**/*.spec.ts',
    '!**/index.ts',
    '!**/main.ts',
    '!**/*.child.ts',
    '!**/testing/**',
  ],
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{libs,apps}/**/*.unit.spec.ts'] },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/{libs,apps}/**/*.int.spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/**/*.e2e.spec.ts'] },
  ],
};
