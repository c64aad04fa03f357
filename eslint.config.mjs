import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import boundaries from 'eslint-plugin-boundaries';
import importX from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { boundaryRules, boundarySettings, PURE_LIBS } from './scripts/eslint/boundaries.mjs';

const SPECS = ['**/*.spec.ts'];
const NODE_GLOBALS = { process: 'readonly', console: 'readonly', URL: 'readonly', setInterval: 'readonly', clearInterval: 'readonly' };

const typescript = {
  name: 'counterfoil/typescript',
  files: ['**/*.ts'],
  extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    '@typescript-eslint/no-explicit-any': 'error',
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/consistent-type-imports': 'error',
    '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    // Taking a key out of an object needs a name for it; an underscore says that it is dropped on purpose.
    '@typescript-eslint/no-unused-vars': [
      'error',
      { ignoreRestSiblings: true, argsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
    ],
    // Brackets say that the key comes from outside and may be missing: environment variables, headers, old records.
    '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
    // Nest's modules are classes that only carry a decorator.
    '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    // Numbers and bigints have one obvious text; everything else still has to say how it is written.
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
    '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
    // Off: Nest declares its options as a class and documents object literals for them.
    '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    // Off: it asks for the `!` that no-non-null-assertion refuses.
    '@typescript-eslint/non-nullable-type-assertion-style': 'off',
    // Off: an adapter of an asynchronous port is `async` so that what it throws becomes a rejection, also where it awaits nothing.
    '@typescript-eslint/require-await': 'off',
    // Off: the two differ in meaning (an interface has no implicit index signature and is open to merging), so each has its place.
    '@typescript-eslint/consistent-type-definitions': 'off',
  },
};

const everyFile = {
  name: 'counterfoil/every-file',
  files: ['**/*.ts', '**/*.mjs'],
  rules: {
    // Modified: a switch over all kinds of an event or command is one decision, however many kinds there are.
    complexity: ['error', { max: 20, variant: 'modified' }],
    // `== null` is the one short way to ask for null or undefined.
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'max-depth': ['error', 4],
    'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
    // Comments don't count: nobody should have to delete one to make a function fit.
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
  },
};

const imports = {
  name: 'counterfoil/imports',
  files: ['apps/**/*.ts', 'libs/**/*.ts', 'test/**/*.ts'],
  plugins: { boundaries, 'import-x': importX },
  settings: {
    ...importX.flatConfigs.typescript.settings,
    'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.json' })],
    // The boundaries plugin still asks through the settings of the older import plugin.
    'import/resolver': { typescript: { project: 'tsconfig.json' } },
    ...boundarySettings(import.meta.dirname),
  },
  rules: {
    ...boundaryRules,
    'import-x/no-cycle': ['error', { ignoreExternal: true }],
    'import-x/no-duplicates': ['error', { 'prefer-inline': false }],
  },
};

const libs = { name: 'counterfoil/libs', files: ['libs/**/*.ts'], rules: { 'no-console': 'error' } };

const AS_ARGUMENT = 'This lib is pure: time, chance and the outside come in as arguments.';
const pure = {
  name: 'counterfoil/pure',
  files: Object.keys(PURE_LIBS).map((lib) => `libs/${lib}/**/*.ts`),
  ignores: SPECS,
  rules: {
    'no-restricted-globals': [
      'error',
      ...['process', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto'].map((name) => ({
        name,
        message: AS_ARGUMENT,
      })),
    ],
    'no-restricted-properties': [
      'error',
      { object: 'Date', property: 'now', message: AS_ARGUMENT },
      { object: 'Math', property: 'random', message: AS_ARGUMENT },
    ],
    'no-restricted-syntax': ['error', { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: AS_ARGUMENT }],
  },
};

const specs = {
  name: 'counterfoil/specs',
  files: SPECS,
  rules: {
    // A describe block is one function.
    'max-lines-per-function': 'off',
    // In a spec a wrong `!` fails the test, which is what it should do.
    '@typescript-eslint/no-non-null-assertion': 'off',
  },
};

const scripts = {
  name: 'counterfoil/scripts',
  files: ['**/*.mjs'],
  extends: [eslint.configs.recommended],
  languageOptions: { globals: NODE_GLOBALS },
};

export default defineConfig([
  // The samples are files that break the rules on purpose; the tooling spec lints them by itself.
  { ignores: ['dist/', 'coverage/', 'data/', '.cache/', 'test/tooling/samples/'] },
  // A directive in a comment would switch a rule off where nobody sees it: exceptions stand in this file, with their reason.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  scripts,
  typescript,
  everyFile,
  imports,
  libs,
  pure,
  specs,
  prettier,
]);
