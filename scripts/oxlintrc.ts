import { ARROWS, OWNED, PURE, ROOMS, type Room } from './arrows.ts';
import { CRYPTO, GLOBALS, MODULES, PROPERTIES } from './hidden-inputs.ts';

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

/** Where texts are read that are not ours. */
const FOREIGN_TEXTS = [
  'src/providers/**',
  'src/programs/**',
  'src/files/git/**',
  // What V8 says of JSON that is none: it tells the position in no other way.
  'src/transport/gateway/knock.ts',
  // What libsql and PostgreSQL say where they give no code.
  'src/store/sqlite-connection.ts',
  'src/store/postgres-errors.ts',
  // What smol-toml says of a file that is no TOML.
  'src/cli/init/toml-format.ts',
];

/** What any file of a room may import of other rooms. */
function arrowsOf(room: Room) {
  const allowed = ARROWS[room];
  return [
    {
      group: ['#*/**', ...allowed.map((other) => `!#${other}/**`)],
      message: `${room}/ may import: ${allowed.join(' ') || 'nothing'}.`,
    },
  ];
}

/** The packages and built-ins that a room has no business with. */
function foreignTo(room: Room, ...allowed: string[]) {
  const foreign = Object.keys(OWNED).filter(
    (name) => !OWNED[name]?.includes(room) && !allowed.includes(name),
  );
  const builtins = PURE.includes(room) ? ['node:*'] : [];
  return {
    group: [...foreign, ...builtins].flatMap((name) => [name, `${name}/**`]),
    message: `${room}/ does not own it; scripts/arrows.ts says who does.`,
  };
}

/** It stands for the outside world: the product knows nothing of it, and it nothing of the product. */
const EMULATOR = {
  regex: '^(\\.\\./)+emulator/',
  message: 'The emulator never runs in the product.',
};
const PRODUCT = {
  regex: '^(#|(\\.\\./)+(src|test)/)',
  message: 'The emulator imports nothing of the product.',
};

const HIDDEN_MODULES = Object.entries(MODULES).map(([name, message]) => ({
  group: [name, `${name}/**`],
  message,
}));

/** Later entries win: a schema may use zod, and tests keep the arrows of their room and nothing else. */
function roomRules(room: Room) {
  const arrows = arrowsOf(room);
  const refused = (...patterns: object[]) => ({
    paths: [CRYPTO],
    patterns: [...arrows, EMULATOR, ...HIDDEN_MODULES, ...patterns],
  });
  return [
    { files: [`src/${room}/**`], rules: imports(refused(foreignTo(room))) },
    { files: [`src/${room}/**/*.schema.ts`], rules: imports(refused(foreignTo(room, 'zod'))) },
    {
      files: TESTS.map((ending) => `src/${room}/**/*.${ending}`),
      rules: imports({ patterns: arrows }),
    },
  ];
}

function imports(refused: object) {
  return { 'no-restricted-imports': ['error', refused] };
}

/** The linter's settings, made from the arrows so that the two cannot drift apart. */
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
      // By one name each, so that a rule about `node:fs` is not passed by as `fs`.
      'unicorn/prefer-node-protocol': 'error',
      'exai/zod-as-namespace': 'error',
      'exai/own-sentences': 'error',
      'exai/cross-modules-by-name': 'error',
      'vitest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['verifies'] }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      ...HIDDEN_INPUTS,
    },
    overrides: [
      ...ROOMS.flatMap(roomRules),
      { files: ['emulator/**'], rules: imports({ patterns: [PRODUCT] }) },
      // The emulator has a machine of its own.
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
      // The machine's own clock, timers and randomness enter here and nowhere else.
      {
        files: ['src/app/system.ts'],
        rules: {
          ...HIDDEN_INPUTS_OFF,
          ...imports({ patterns: [...arrowsOf('app'), foreignTo('app')] }),
        },
      },
      // Its setImmediate is no clock: it means the end of this turn of the event loop, on simulated time too.
      {
        files: ['src/store/group-commit.ts'],
        rules: { 'no-restricted-globals': ['error', ...globalsBut('setImmediate')] },
      },
      // Texts of vendors, programs and packages are read where they come in.
      { files: FOREIGN_TEXTS, rules: { 'exai/own-sentences': 'off' } },
      // What it asserts is in the body it is handed.
      { files: ['test/verifies.ts'], rules: { 'vitest/expect-expect': 'off' } },
      {
        files: [
          ...['test', 'bench', 'scripts', 'bin'].map((folder) => `${folder}/**`),
          ...TESTS.map((ending) => `**/*.${ending}`),
          'vitest.config.ts',
        ],
        rules: { ...HIDDEN_INPUTS_OFF, 'exai/own-sentences': 'off' },
      },
      { files: ['emulator/**'], rules: { 'exai/own-sentences': 'off' } },
    ],
  };
}

/** As the file has it: one line for each override, so that a changed arrow is a changed line. */
export function oxlintrcJson(): string {
  const settings = oxlintrc();
  const lines = settings.overrides.map((override) => `    ${JSON.stringify(override)}`);
  const frame = JSON.stringify({ ...settings, overrides: [] }, null, 2);
  return `${frame.replace('"overrides": []', () => `"overrides": [\n${lines.join(',\n')}\n  ]`)}\n`;
}
