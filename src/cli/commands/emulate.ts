import { existsSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  name: 'emulate',
  summary: 'Run the providers’ emulator, for tests and tries without a key',
  about:
    'It stands in for Kimi, GLM, OpenRouter and local servers on this machine, refuses what they refuse and fails on demand. ' +
    'Its answers are computed, not thought: no model is behind it. It comes with a source checkout only; docs/emulator.md has more.',
  options: {
    port: { type: 'string', value: 'N', help: 'TCP port to listen on; any free one unless told' },
    host: { type: 'string', value: 'H', help: 'Address to listen on; 127.0.0.1 unless told' },
    pace: { type: 'string', value: 'MS', help: 'Milliseconds between two pieces of a stream' },
  },
  signals: 'own',
  home: 'unused',
  async run({ options }) {
    const program = new URL('../dist-emulator/main.js', import.meta.url);
    if (!existsSync(program)) {
      throw new CallError('not_configured', 'This copy of EX-AI has no emulator.', {
        fix: 'Use a source checkout: git clone, npm ci, npm run build, then bin/exai.cjs emulate.',
      });
    }
    const { main } = (await import(program.href)) as {
      main: (argv: readonly string[]) => Promise<number>;
    };
    const argv = Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'string' ? [`--${name}=${value}`] : [`--${name}`],
    );
    return main(argv);
  },
});
