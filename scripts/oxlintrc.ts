import { ARROWS, OWNED, PURE, MODULES, type Module } from './arrows.ts';
import { CRYPTO, GLOBALS, BUILTINS, PROPERTIES } from './hidden-inputs.ts';

const TESTS = ['test.ts', 'fixture.ts'];

const HIDDEN_INPUTS = {
  'no-restricted-globals': ['error', ...globalsBut()],
  'no-restricted-properties': ['error', ...PROPERTIES],
  'exai/no-current-date': 'error',
};
const HIDDEN_INPUTS_OFF = {
  'no-restricted-globals': 'off',
  'no-restricted-properties': 'off',
  'exai/no-current-date': 'off',
};

function globalsBut(...allowed: string[]) {
  return Object.entries(GLOBALS)
    .filter(([name]) => !allowed.includes(name))
    .map(([name, message]) => ({ name, message }));
}

/** Files that parse texts of vendors, programs and packages. */
const FOREIGN_TEXTS = [
  'src/providers/**',
  'src/programs/**',
  'src/files/git/**',
  // V8's message about invalid JSON, the only source of the position.
  'src/transport/gateway/request.ts',
  // undici's message about a response that is not HTTP.
  'src/net/network-errors.ts',
  // Messages of libsql and PostgreSQL without an error code.
  'src/store/sqlite/connection.ts',
  'src/store/postgres/errors.ts',
  'src/store/postgres/lost-connection.ts',
  // smol-toml's message about invalid TOML.
  'src/cli/init/toml-format.ts',
];

/** The other modules that a module may import. */
function arrowsOf(module: Module) {
  const allowed = ARROWS[module];
  return [
    {
      group: ['#*/**', ...allowed.map((other) => `!#${other}/**`)],
      message: `${module}/ may import: ${allowed.join(' ') || 'nothing'}.`,
    },
  ];
}

/** The packages and built-ins that a module may not import. */
function foreignTo(module: Module, ...allowed: string[]) {
  const foreign = Object.keys(OWNED).filter(
    (name) => !OWNED[name]?.includes(module) && !allowed.includes(name),
  );
  const builtins = PURE.includes(module) ? ['node:*'] : [];
  return {
    group: [...foreign, ...builtins].flatMap((name) => [name, `${name}/**`]),
    message: `${module}/ does not own it; scripts/arrows.ts lists the owners.`,
  };
}

/** The emulator and the product do not import each other. */
const EMULATOR = {
  regex: '^(\\.\\./)+emulator/',
  message: 'The emulator never runs in the product.',
};
const PRODUCT = {
  regex: '^(#|(\\.\\./)+(src|test)/)',
  message: 'The emulator imports nothing of the product.',
};

const HIDDEN_BUILTINS = Object.entries(BUILTINS).map(([name, message]) => ({
  group: [name, `${name}/**`],
  message,
}));

/**
 * Later entries win: a schema may use zod, and tests have only the import rules of their module.
 */
function moduleRules(module: Module) {
  const arrows = arrowsOf(module);
  const refused = (...patterns: object[]) => ({
    paths: [CRYPTO],
    patterns: [...arrows, EMULATOR, ...HIDDEN_BUILTINS, ...patterns],
  });
  return [
    { files: [`src/${module}/**`], rules: imports(refused(foreignTo(module))) },
    { files: [`src/${module}/**/*.schema.ts`], rules: imports(refused(foreignTo(module, 'zod'))) },
    {
      files: TESTS.map((ending) => `src/${module}/**/*.${ending}`),
      rules: imports({ patterns: arrows }),
    },
  ];
}

function imports(refused: object) {
  return { 'no-restricted-imports': ['error', refused] };
}

/** The linter's settings, generated from scripts/arrows.ts so that the two stay equal. */
export function oxlintrc() {
  return {
    $schema: './node_modules/oxlint/configuration_schema.json',
    plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node', 'vitest'],
    jsPlugins: ['./scripts/oxlint-plugin.mjs'],
    categories: { correctness: 'error' },
    options: { typeAware: true },
    ignorePatterns: ['dist', 'dist-emulator', 'coverage'],
    rules: {
      'import/no-cycle': 'error',
      'no-empty': 'error',
      'typescript/no-explicit-any': 'error',
      'typescript/no-floating-promises': 'error',
      'typescript/no-misused-promises': 'error',
      'typescript/switch-exhaustiveness-check': 'error',
      'typescript/consistent-type-imports': 'error',
      // One name for each built-in, so that `fs` does not bypass a rule about `node:fs`.
      'unicorn/prefer-node-protocol': 'error',
      'exai/zod-as-namespace': 'error',
      'exai/own-sentences': 'error',
      'exai/plain-words': 'error',
      'exai/cross-modules-by-name': 'error',
      'vitest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['verifies'] }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      ...HIDDEN_INPUTS,
    },
    overrides: [
      ...MODULES.flatMap(moduleRules),
      { files: ['emulator/**'], rules: imports({ patterns: [PRODUCT] }) },
      // The emulator's own access to clock and randomness.
      { files: ['emulator/machine.ts'], rules: HIDDEN_INPUTS_OFF },
      { files: ['emulator/**/*.test.ts'], rules: { 'no-restricted-imports': 'off' } },
      {
        files: ['src/config/environment.ts'],
        rules: {
          'no-restricted-properties': [
            'error',
            ...PROPERTIES.filter(({ property }) => property !== 'env'),
          ],
        },
      },
      // The only file that reads the machine's clock, timers and randomness.
      {
        files: ['src/app/system.ts'],
        rules: {
          ...HIDDEN_INPUTS_OFF,
          ...imports({ patterns: [...arrowsOf('app'), foreignTo('app')] }),
        },
      },
      // Their setImmediate is not a clock: it means the end of this event loop turn, also on
      // simulated time.
      {
        files: ['src/store/group-commit.ts', 'src/core/turns.ts'],
        rules: { 'no-restricted-globals': ['error', ...globalsBut('setImmediate')] },
      },
      // Texts of vendors, programs and packages are parsed where they are received.
      { files: FOREIGN_TEXTS, rules: { 'exai/own-sentences': 'off' } },
      // The assertions are in the callback.
      { files: ['test/verifies.ts'], rules: { 'vitest/expect-expect': 'off' } },
      {
        files: [
          ...['test', 'bench', 'scripts', 'bin'].map((folder) => `${folder}/**`),
          ...TESTS.map((ending) => `**/*.${ending}`),
          'vitest.config.ts',
        ],
        rules: { ...HIDDEN_INPUTS_OFF, 'exai/own-sentences': 'off', 'exai/plain-words': 'off' },
      },
      { files: ['emulator/**'], rules: { 'exai/own-sentences': 'off' } },
      // Migrations of released versions are never edited, not even their comments.
      { files: ['src/store/migrations/[1-6]-*.ts'], rules: { 'exai/plain-words': 'off' } },
      // A list of English words.
      { files: ['src/providers/extractive/stop-words.ts'], rules: { 'exai/plain-words': 'off' } },
      // Words and phrases of poisoned definitions.
      {
        files: ['src/hub/scan/themes/lexicon-*.ts'],
        rules: { 'exai/plain-words': 'off' },
      },
    ],
  };
}

/**
 * The content of the file: one line for each override, so that a changed import rule is a changed
 * line.
 */
export function oxlintrcJson(): string {
  const settings = oxlintrc();
  const lines = settings.overrides.map((override) => `    ${JSON.stringify(override)}`);
  const frame = JSON.stringify({ ...settings, overrides: [] }, null, 2);
  return `${frame.replace('"overrides": []', () => `"overrides": [\n${lines.join(',\n')}\n  ]`)}\n`;
}
