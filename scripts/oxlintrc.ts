import { ARROWS, OWNED, ROOMS, type Room } from './arrows.ts';

const CLOCK = 'Take the clock that is passed in; only src/app/system.ts reads the machine.';

/** Hidden clocks, randomness and network: what would make a simulated run impossible. */
const HIDDEN_INPUTS = {
  'no-restricted-globals': [
    'error',
    { name: 'fetch', message: 'Use #net.' },
    ...['setTimeout', 'setInterval'].map((name) => ({ name, message: CLOCK })),
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: CLOCK },
    { object: 'performance', property: 'now', message: CLOCK },
    { object: 'Math', property: 'random', message: 'Take the randomness that is passed in.' },
  ],
};
const HIDDEN_INPUTS_OFF = {
  'no-restricted-globals': 'off',
  'no-restricted-properties': 'off',
};

function roomRule(room: Room) {
  const allowed = ARROWS[room];
  const foreign = Object.keys(OWNED).filter((name) => !OWNED[name]?.includes(room));
  return {
    files: [`src/${room}/**`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['#*/**', ...allowed.map((other) => `!#${other}/**`)],
              message: `${room}/ may import: ${allowed.join(' ') || 'nothing'}.`,
            },
            { group: foreign, message: 'This package has a room of its own.' },
            {
              regex: `^(\\.\\./)+(${ROOMS.join('|')})/`,
              message: 'Cross a room as #room/file.ts, never ../',
            },
          ],
        },
      ],
    },
  };
}

/** The linter's settings, made from the arrows so that the two cannot drift apart. */
export function oxlintrc() {
  return {
    $schema: './node_modules/oxlint/configuration_schema.json',
    plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node', 'vitest'],
    categories: { correctness: 'error' },
    options: { typeAware: true },
    ignorePatterns: ['dist', 'coverage'],
    rules: {
      'import/no-cycle': 'error',
      'no-empty': 'error',
      'typescript/no-explicit-any': 'error',
      'typescript/no-floating-promises': 'error',
      'typescript/no-misused-promises': 'error',
      'typescript/switch-exhaustiveness-check': 'error',
      'typescript/consistent-type-imports': 'error',
      'node/no-process-env': 'error',
      'vitest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['verifies'] }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      ...HIDDEN_INPUTS,
    },
    overrides: [
      ...ROOMS.map(roomRule),
      { files: ['src/config/**'], rules: { 'node/no-process-env': 'off' } },
      // The machine's own clock, timers and randomness enter here and nowhere else.
      { files: ['src/app/system.ts'], rules: HIDDEN_INPUTS_OFF },
      // What it asserts is in the body it is handed.
      { files: ['test/verifies.ts'], rules: { 'vitest/expect-expect': 'off' } },
      {
        files: ['test/**', 'bench/**', 'scripts/**', '**/*.test.ts', 'bin/**', 'vitest.config.ts'],
        rules: { ...HIDDEN_INPUTS_OFF, 'node/no-process-env': 'off' },
      },
    ],
  };
}
