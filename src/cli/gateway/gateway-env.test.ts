import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { writeDaemonFile, type DaemonRecord } from '#app/daemon/daemon-file.ts';
import { claimHome } from '#app/daemon/single-instance.ts';
import { systemClock } from '#app/system.ts';
import { prepareHome } from '#config/home/home.ts';
import { tempHome, type TempHome } from '#config/temp-home.fixture.ts';
import { verifies } from '../../../test/verifies.ts';
import { command } from '../commands/gateway-env.ts';
import { ansi, noColor } from '../format/colors.ts';
import { parseCommandLine } from '../parse-command-line.ts';

interface Ran {
  stdout: string;
  stderr: string;
}

interface World {
  readonly home?: TempHome;
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: 'terminal';
}

const OWN_TOKEN = 'the-own-token-of-this-daemon';

/** Runs the command as the command line does, without a process. */
async function run(argv: readonly string[], world: World = {}): Promise<Ran> {
  const home = world.home ?? tempHome();
  const ran: Ran = { stdout: '', stderr: '' };
  const stdout = { write: (text: string) => void (ran.stdout += text) };
  const io = {
    stdout,
    documents: stdout,
    editor: stdout,
    stderr: { write: (text: string) => void (ran.stderr += text) },
    // Starting a daemon is tested with real processes.
    env: { ...home.env, EXAI_AUTOSTART: 'false', ...world.env },
    paint: world.terminal ? ansi : noColor,
    charset: 'utf-8' as const,
    ...(world.terminal && { width: 100 }),
    progress: 'none' as const,
    signal: new AbortController().signal,
  };
  await command.run(parseCommandLine(command, argv).args, io);
  return ran;
}

/** A home with a running fake daemon that requires a token or not. */
async function running(
  needs: 'token' | 'nothing',
  more: Partial<DaemonRecord> = {},
): Promise<{ home: TempHome; url: string }> {
  const home = tempHome();
  prepareHome(home.home);
  const claim = await claimHome(home.home, systemClock);
  const body = needs === 'token' ? { ready: true } : { ready: true, store: { schemaVersion: 1 } };
  const server = createServer((_, response) => response.end(JSON.stringify(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    claim.release();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  writeDaemonFile(home.home.daemonFile, {
    pid: process.pid,
    url,
    host: '127.0.0.1',
    port,
    version: '0.1.0',
    startedAt: '2026-11-15T00:00:00.000Z',
    node: 'v20.19.0',
    instance: 'here',
    pidNamespace: '',
    storedIn: 'SQLite',
    ...more,
  });
  return { home, url };
}

test('without a daemon the lines have the address of the settings, and it says how to start one', async () => {
  expect(await run(['openai'], { env: { EXAI_AUTH_REQUIRE_TOKEN: 'false' } })).toEqual({
    stdout: 'export OPENAI_BASE_URL=http://127.0.0.1:8765/v1\nexport OPENAI_API_KEY=none\n',
    stderr: 'exai: No daemon runs; this is where it will be. Start it with: exai start\n',
  });
});

test.each([
  [{ EXAI_HOST: '::1', EXAI_PORT: '9001' }, "'http://[::1]:9001/v1'"],
  [{ EXAI_HOST: '0.0.0.0', EXAI_TOKEN: OWN_TOKEN }, 'http://127.0.0.1:8765/v1'],
  [{ EXAI_HOST: 'localhost' }, 'http://localhost:8765/v1'],
])('the settings %j mean %s', async (env, url) => {
  expect((await run(['openai'], { env })).stdout).toContain(`OPENAI_BASE_URL=${url}\n`);
});

verifies(
  'gateway:env',
  'a daemon that runs is found where it listens, whatever the settings say now',
  async () => {
    const { home, url } = await running('nothing');
    const env = { EXAI_PORT: '9001', EXAI_TOKEN: OWN_TOKEN };
    expect(await run(['openai'], { home, env })).toEqual({
      stdout: `export OPENAI_BASE_URL=${url}/v1\nexport OPENAI_API_KEY=none\n`,
      stderr: '',
    });
  },
);

verifies(
  'gateway:env',
  'a daemon that wants a token is told of one that the lines only name',
  async () => {
    const { home } = await running('token');
    const env = { EXAI_TOKEN: OWN_TOKEN };
    const { stdout, stderr } = await run(['claude-code'], { home, env });
    expect(stdout).toContain('export ANTHROPIC_AUTH_TOKEN="$EXAI_TOKEN"\n');
    expect(stdout).toContain('unset ANTHROPIC_API_KEY\n');
    expect(stdout + stderr).not.toContain(OWN_TOKEN);
    expect(stderr).toBe('');
  },
);

test('a token that this shell does not have is set by the command that prints it', async () => {
  const { home } = await running('token');
  home.write('.env', `EXAI_TOKEN=${OWN_TOKEN}\n`);
  const { stdout, stderr } = await run(['aider'], { home });
  expect(stdout).toMatch(/^export GATEWAY_KEY="\$\(env EXAI_HOME=\S+ \S+ \S+ token show\)"\n/);
  expect(stdout).toContain('OPENAI_API_KEY="$GATEWAY_KEY"');
  expect(stdout + stderr).not.toContain(OWN_TOKEN);
  const shown = await run(['aider', '--show-key'], { home });
  expect(shown.stdout).toContain(`OPENAI_API_KEY=${OWN_TOKEN}\n`);
});

test('a variable of --key-env that is not set is not named without saying how to get a key', async () => {
  const { home } = await running('token');
  const { stderr } = await run(['aider', '--key-env', 'MY_KEY'], { home });
  expect(stderr).toBe(
    'exai: A key is needed, and MY_KEY is not set in this shell. To create a separate key:\n' +
      `  export GATEWAY_KEY="$(exai access add aider --scope 'gateway_*')"\n` +
      '  exai gateway env aider --key-env GATEWAY_KEY\n',
  );
});

test('Continue, which reads no variables of a shell, gets its key by a line to paste', async () => {
  const { home } = await running('token');
  home.write('.env', `EXAI_TOKEN=${OWN_TOKEN}\n`);
  const { stdout, stderr } = await run(['continue'], { home });
  expect(stdout).toContain('apiKey: ${{ secrets.GATEWAY_KEY }}');
  expect(stderr).toContain('echo "GATEWAY_KEY=$(exai token show)" >> ~/.continue/.env\n');
});

test('a key of the tool’s own is in the variable that it names', async () => {
  const env = { GATEWAY_KEY: 'given' };
  const { stdout } = await run(['openai', '--key-env', 'GATEWAY_KEY', '--shell', 'fish'], { env });
  expect(stdout).toContain('set -gx OPENAI_API_KEY "$GATEWAY_KEY"\n');
});

test('as JSON a token stays out, and it says so', async () => {
  const env = { EXAI_TOKEN: OWN_TOKEN };
  const { stdout, stderr } = await run(['claude-code', '--shell', 'json'], { env });
  const variables = JSON.parse(stdout) as Record<string, string>;
  expect(variables).toMatchObject({ ANTHROPIC_MODEL: 'auto', ANTHROPIC_API_KEY: '' });
  expect(variables).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN');
  expect(stderr).toContain('ANTHROPIC_AUTH_TOKEN is left out, as it holds a token');
});

test('--json tells all of it as one document, without the token', async () => {
  const env = { EXAI_TOKEN: OWN_TOKEN };
  const { stdout, stderr } = await run(['openai', '--json', '--model', 'kimi-k3'], { env });
  expect(JSON.parse(stdout)).toEqual({
    url: 'http://127.0.0.1:8765',
    daemon: 'absent',
    model: 'kimi-k3',
    tool: 'openai',
    title: 'the OpenAI SDKs, and what is built on them',
    speaks: 'OpenAI',
    key: { needed: true, variable: 'EXAI_TOKEN' },
    variables: [
      { name: 'OPENAI_BASE_URL', value: 'http://127.0.0.1:8765/v1' },
      { name: 'OPENAI_API_KEY', from: 'EXAI_TOKEN' },
    ],
    unset: [],
  });
  expect(stderr).toBe('');
});

test('without a tool it lists them, with the lines that every other takes', async () => {
  const { stdout } = await run([]);
  for (const part of [
    'http://127.0.0.1:8765 as OpenAI and as Anthropic do',
    '  export OPENAI_BASE_URL=http://127.0.0.1:8765/v1\n',
    '  export ANTHROPIC_BASE_URL=http://127.0.0.1:8765\n',
    'e="$(exai gateway env <tool>)" && eval "$e"',
    '  claude-code  Claude Code',
    '  codex        Codex',
    'as OpenAI, by ~/.codex/exai.config.toml',
    'cannot: it speaks only the Gemini API',
    'as OpenAI, by ~/.continue/config.yaml',
  ]) {
    expect(stdout).toContain(part);
  }
  const document = JSON.parse((await run(['--json'])).stdout) as Record<string, unknown[]>;
  expect(document['tools']).toContainEqual(expect.objectContaining({ tool: 'opencode' }));
  expect(document['unsupported']).toContainEqual(expect.objectContaining({ tool: 'gemini-cli' }));
});

test('a daemon whose gateway is switched off is not pointed at, whatever the settings say now', async () => {
  const { home } = await running('nothing', { gateway: 'off' });
  await expect(run(['openai'], { home })).rejects.toMatchObject({ class: 'not_configured' });
  const on = await running('nothing', { gateway: 'on' });
  expect((await run(['openai'], on)).stdout).toContain(`${on.url}/v1`);
});

test('no daemon is started where --no-start or the settings forbid it', async () => {
  const env = { EXAI_AUTOSTART: 'true' };
  const asked = await run(['openai', '--no-start'], { env });
  expect(asked.stderr).toContain('Start it with: exai start\n');
  expect((await run([], { env })).stderr).toContain('Start it with: exai start\n');
  const home = tempHome();
  home.write('config.json', '{}');
  const other = await run(['openai', '--config', home.home.configFile], { home, env });
  expect(other.stderr).toContain('Start it with: exai start\n');
});

test.each(['openai', 'anthropic', 'langchain', 'litellm'])(
  'of a model that no variable of %s names it is said so',
  async (tool) => {
    const words = 'exai: These variables name no model: ask for "kimi-k3" yourself.\n';
    expect((await run([tool, '--model', 'kimi-k3'])).stderr).toContain(words);
    expect((await run([tool])).stderr).not.toContain('name no model');
  },
);

test('a model that the variables name needs no hint', async () => {
  expect((await run(['aider', '--model', 'kimi-k3'])).stderr).not.toContain('name no model');
});

test('at a terminal it also says what to do next, as comments', async () => {
  const { stdout } = await run(['claude-code'], { terminal: 'terminal' });
  expect(stdout).toContain('# Claude Code, at http://127.0.0.1:8765');
  expect(stdout).toContain('# Start it with: claude');
  expect((await run(['claude-code'])).stdout).not.toContain('#');
});

test('a part of a file is printed as it is, and where it belongs beside it', async () => {
  const { stdout, stderr } = await run(['continue']);
  expect(stdout).toMatch(/^name: EX-AI\n/);
  expect(stderr).toContain('exai: This belongs in ~/.continue/config.yaml.\n');
});

test.each<[string[], string, Readonly<Record<string, string>>]>([
  [['openai', '--shell', 'tcsh'], 'bad_request', {}],
  [['openai', '--model', 'a b'], 'bad_request', {}],
  [['openai', '--model', '$(id)'], 'bad_request', {}],
  [['openai', '--key-env', 'A"; id; "'], 'bad_request', {}],
  [['openai', '--key-env', 'A', '--show-key'], 'bad_request', {}],
  [['continue', '--shell', 'sh'], 'bad_request', {}],
  [['gemini-cli'], 'bad_request', {}],
  [['codex', '--shell', 'sh'], 'bad_request', {}],
  [['openai'], 'not_found', { EXAI_PORT: '0' }],
  [['openai'], 'not_configured', { EXAI_GATEWAY_ENABLED: 'false' }],
])('%j is refused as %s', async (argv, errorClass, env) => {
  await expect(run(argv, { env })).rejects.toMatchObject({
    class: errorClass,
    fix: expect.any(String) as string,
  });
});
