import { parseArgs } from 'node:util';
import { startEmulator } from './start.ts';

const USAGE = 'exai emulate [--port N] [--host H] [--pace MS]';

/** The emulator as a program: says where it is, and runs until it is told to stop. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if ('problem' in options) {
    process.stderr.write(`${options.problem}\n${USAGE}\n`);
    return 2;
  }
  let emulator;
  try {
    emulator = await startEmulator(options);
  } catch (error) {
    process.stderr.write(`The emulator cannot listen: ${(error as Error).message}\n`);
    return 1;
  }
  process.stdout.write(`emulating on ${emulator.url}\n\n${help(emulator.url)}`);
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
  await emulator.close();
  return 0;
}

type Options =
  | { readonly problem: string }
  | { readonly port: number; readonly host: string; readonly pace: { readonly chunkMs: number } };

function readOptions(argv: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string', default: '0' },
        host: { type: 'string', default: '127.0.0.1' },
        pace: { type: 'string', default: '0' },
      },
    });
    const port = Number(values.port);
    const chunkMs = Number(values.pace);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      return { problem: `--port: ${values.port} is no port; 0 takes any free one.` };
    if (!Number.isFinite(chunkMs) || chunkMs < 0 || chunkMs > 60_000)
      return { problem: `--pace: ${values.pace} is no number of milliseconds up to 60000.` };
    return { port, host: values.host, pace: { chunkMs } };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const help = (url: string): string => {
  const settings = [
    ['KIMI_API_URL', `${url}/kimi/v1`, 'KIMI_API_KEY=sk-emulated'],
    ['GLM_API_URL', `${url}/glm/api/paas/v4`, 'GLM_API_KEY=emulated.secret'],
    ['OPENROUTER_API_URL', `${url}/openrouter/api/v1`, 'OPENROUTER_API_KEY=sk-or-emulated'],
    ['CUSTOM_API_URL', `${url}/local/v1`, 'CUSTOM_MODEL=llama3.2'],
  ];
  const lines = settings.map(([name, value, key]) => `  export ${name}=${value} ${key}`);
  return `This is a test program: no model and no vendor is behind its answers. To use it:

${lines.join('\n')}

  curl ${url}/            everything it has: vendors, switches, faults
  curl ${url}/_requests   what it received
  curl ${url}/_faults -d '{"id":"F5.cut","vendor":"kimi","after":3}'
`;
};
