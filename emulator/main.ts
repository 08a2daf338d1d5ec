import { parseArgs } from 'node:util';
import { startEmulator } from './start.ts';

const USAGE = 'exai emulate [--port N] [--host H] [--pace MS] [--json]';
/** As the command line of EX-AI has it for what clashes with something that is there. */
const CONFLICT = 7;

/**
 * The emulator as a program: says where it is, and runs until it is told to stop. Resolves with the
 * exit code.
 */
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
    return refuse(error as NodeJS.ErrnoException, options);
  }
  const { url } = emulator;
  process.stdout.write(
    options.output === 'json'
      ? `${JSON.stringify({ url, environment: environment(url) })}\n`
      : `emulating on ${url}\n\n${help(url)}`,
  );
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

function refuse({ code, message }: NodeJS.ErrnoException, { host, port }: Wanted): number {
  if (code !== 'EADDRINUSE') {
    process.stderr.write(`The emulator cannot listen on ${host}: ${message}\n`);
    return 1;
  }
  process.stderr.write(
    `Port ${port} of ${host} is in use by another program.\n` +
      'fix: take any free one with --port 0, or name another.\n',
  );
  return CONFLICT;
}

interface Wanted {
  readonly port: number;
  readonly host: string;
  readonly pace: { readonly chunkMs: number };
  readonly output: 'text' | 'json';
}

function readOptions(argv: readonly string[]): Wanted | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      args: withValues(argv),
      options: {
        json: { type: 'boolean', default: false },
        port: { type: 'string', default: '0' },
        host: { type: 'string', default: '127.0.0.1' },
        pace: { type: 'string', default: '0' },
      },
    });
    const port = toNumber(values.port);
    const chunkMs = toNumber(values.pace);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      return { problem: `--port: ${values.port} is not a port; 0 takes any free one.` };
    if (!Number.isFinite(chunkMs) || chunkMs < 0 || chunkMs > 60_000)
      return { problem: `--pace: ${values.pace} is not a number of milliseconds from 0 to 60000.` };
    return { port, host: values.host, pace: { chunkMs }, output: values.json ? 'json' : 'text' };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/**
 * `--pace -3` as `--pace=-3`: whatever follows one of these is its value, and is judged as such.
 */
function withValues(argv: readonly string[]): string[] {
  const args: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const value = ['--port', '--host', '--pace'].includes(word) ? argv[at + 1] : undefined;
    args.push(value === undefined ? word : `${word}=${value}`);
    if (value !== undefined) at += 1;
  }
  return args;
}

const toNumber = (text: string): number => (text.trim() === '' ? NaN : Number(text));

/**
 * The settings for EX-AI. The home is a separate one, so that a trial leaves the real one alone,
 * and the user's: never in /tmp.
 */
const environment = (url: string): Readonly<Record<string, string>> => ({
  EXAI_HOME: '~/.exai-emulated',
  KIMI_API_URL: `${url}/kimi/v1`,
  KIMI_API_KEY: 'sk-emulated',
  GLM_API_URL: `${url}/glm/api/paas/v4`,
  GLM_API_KEY: 'emulated.secret',
  OPENROUTER_API_URL: `${url}/openrouter/api/v1`,
  OPENROUTER_API_KEY: 'sk-or-emulated',
  CUSTOM_API_URL: `${url}/local/v1`,
  CUSTOM_MODEL: 'llama3.2',
  COMPOSIO_BASE_URL: `${url}/composio`,
  COMPOSIO_API_KEY: 'ak_emulated',
  DEFAULT_USER_ID: 'emulated',
  // Pages are read from public addresses only; this one is served here, at /web.
  EXAI_NETWORK_ALLOW_PRIVATE: new URL(url).host,
});

const help = (url: string): string => {
  const [home = '', ...pairs] = Object.entries(environment(url)).map(
    ([name, value]) => `${name}=${value}`,
  );
  const lines = pairs.flatMap((_, at) => (at % 2 === 0 ? [pairs.slice(at, at + 2).join(' ')] : []));
  return `This is a test program: no model and no vendor is behind its answers. To use it:

${[home, ...lines].map((line) => `  export ${line}`).join('\n')}

  curl ${url}/            everything it has: vendors, switches, faults
  curl ${url}/_requests   what it received
  curl ${url}/_faults -d '{"id":"F5.cut","vendor":"kimi","after":3}'

  exai servers add notes --url ${url}/oauth/mcp && exai servers login notes
`;
};
