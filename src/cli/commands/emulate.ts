import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { EMULATOR_PROGRAM, hasEmulator } from '../emulator-program.ts';

export const command = defineCommand({
  name: 'emulate',
  summary: 'Run an emulator of the providers, to try EX-AI without a key',
  about:
    'It stands in for Kimi, GLM, OpenRouter and local servers on this machine, refuses what they refuse and fails on demand. ' +
    'Its answers are computed, not thought: no model is behind it. It comes with a source checkout only; docs/emulator.md has more.',
  options: {
    port: { type: 'string', value: 'N', help: 'TCP port to listen on (default: any free port)' },
    host: { type: 'string', value: 'H', help: 'Address to listen on (default: 127.0.0.1)' },
    pace: { type: 'string', value: 'MS', help: 'Milliseconds between two pieces of a stream' },
  },
  signals: 'own',
  home: 'unused',
  async run({ options }) {
    if (!hasEmulator()) {
      throw new CallError('not_configured', 'This copy of EX-AI has no emulator.', {
        fix: 'Use a source checkout: git clone, npm ci, npm run build, then bin/exai.cjs emulate.',
      });
    }
    const { main } = (await import(EMULATOR_PROGRAM.href)) as {
      main: (argv: readonly string[]) => Promise<number>;
    };
    const argv = Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'string' ? [`--${name}=${value}`] : [`--${name}`],
    );
    return main(argv);
  },
});
