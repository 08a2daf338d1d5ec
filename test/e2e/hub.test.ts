import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import {
  readPids,
  tempFolder,
  untilGone,
  writeScript,
} from '../../src/programs/processes.fixture.ts';
import { verifies } from '../verifies.ts';
import { createHome, type Result } from './exai.ts';
import {
  everythingOver,
  everythingOverStdio,
  everythingOverWs,
  filesystemServer,
} from './upstream-servers.ts';

type Home = ReturnType<typeof createHome>;

function configure({ path }: Home, mcpServers: Readonly<Record<string, object>>): void {
  writeFileSync(path('config.json'), JSON.stringify({ mcpServers }));
}

async function call({ exai }: Home, tool: string, args: object) {
  const result = await exai(['call', tool, '--json', '--args', JSON.stringify(args)]);
  return { ...result, envelope: envelopeIn(result) };
}

function envelopeIn({ stdout, stderr }: Result): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error(`No envelope: ${stdout}\n${stderr}`);
  }
}

verifies('hub:transports', 'the same server answers alike over all four transports', async () => {
  const home = createHome();
  const [http, sse, ws] = await Promise.all([
    everythingOver('streamableHttp'),
    everythingOver('sse'),
    everythingOverWs(),
  ]);
  configure(home, {
    stdio: everythingOverStdio(),
    http: { url: http.url },
    sse: { type: 'sse', url: sse.url },
    found: { url: sse.url },
    ws: { url: ws.url },
  });
  await home.serve();
  for (const server of ['stdio', 'http', 'sse', 'found', 'ws']) {
    await expect
      .poll(async () => (await call(home, `mcp__${server}__get-sum`, { a: 2, b: 40 })).envelope)
      .toMatchObject({ status: 'success', content: expect.stringContaining('42') });
  }
  const wrong = await call(home, 'mcp__http__get-sum', { a: 'two', b: 40 });
  expect(wrong.envelope).toMatchObject({ status: 'error', error_class: 'validation' });
});

verifies(
  'hub:environment',
  'keys of the daemon and of the shell do not reach a program',
  async () => {
    const home = createHome();
    configure(home, { everything: { ...everythingOverStdio(), env: { OWN: 'for-the-server' } } });
    await home.serve([], { env: { KIMI_API_KEY: 'sk-kimi-secret-1', AWS_SECRET: 'aws-secret-2' } });
    await expect
      .poll(async () => (await call(home, 'mcp__everything__get-env', {})).envelope)
      .toMatchObject({ status: 'success' });
    const { envelope } = await call(home, 'mcp__everything__get-env', {});
    const text = JSON.stringify(envelope);
    expect(text).toContain('for-the-server');
    expect(text).not.toMatch(/sk-kimi-secret-1|aws-secret-2|EXAI_/);
  },
);

verifies('hub:apart', 'servers that hang, end or flood harm no other', async () => {
  const home = createHome();
  const programs = tempFolder();
  writeScript(programs, 'hangs', 'sleep 1000');
  writeScript(programs, 'ends', 'echo broken on purpose >&2; exit 7');
  writeScript(programs, 'floods', 'while :; do echo noise; echo noise >&2; done');
  const program = (name: string) => ({ command: `${programs}/${name}`, startTimeoutMs: 1_500 });
  configure(home, {
    hangs: program('hangs'),
    ends: program('ends'),
    floods: program('floods'),
    nowhere: { url: 'http://127.0.0.1:1/mcp' },
    missing: { command: 'no-such-program-anywhere' },
    unset: { command: 'x', env: { TOKEN: '${EXAI_TEST_UNSET_VARIABLE}' } },
    good: everythingOverStdio(),
  });
  await home.serve();
  await expect
    .poll(async () => (await call(home, 'mcp__good__echo', { message: 'well' })).envelope)
    .toMatchObject({ status: 'success', content: 'Echo: well' });
  const status = await call(home, 'status', {});
  expect(status.envelope).toMatchObject({ status: 'success' });
});

verifies('hub:orphans', 'a program ends when the daemon is killed', async () => {
  const home = createHome();
  const programs = tempFolder();
  const pidFile = `${programs}/pids`;
  writeScript(
    programs,
    'server',
    'sleep 1000 &',
    `echo "$$ $!" > '${pidFile}.part' && mv '${pidFile}.part' '${pidFile}'`,
    'wait',
  );
  configure(home, { slow: { command: `${programs}/server`, startTimeoutMs: 600_000 } });
  const daemon = await home.serve();
  const pids = await readPids(pidFile);
  daemon.kill('SIGKILL');
  await daemon.ended;
  await untilGone(pids);
});

verifies('hub:restart', 'tools are known before their server is started again', async () => {
  const home = createHome();
  const http = await everythingOver('streamableHttp');
  configure(home, { files: filesystemServer(home.root), web: { url: http.url } });
  const first = await home.serve();
  await expect
    .poll(async () => (await call(home, 'mcp__web__echo', { message: 'one' })).envelope)
    .toMatchObject({ status: 'success' });
  await expect
    .poll(async () => (await call(home, 'mcp__files__list_allowed_directories', {})).envelope)
    .toMatchObject({ status: 'success' });
  // The server forgets the session; the next call opens another.
  await http.stop();
  await everythingOver('streamableHttp', http.port);
  expect((await call(home, 'mcp__web__echo', { message: 'two' })).envelope).toMatchObject({
    status: 'success',
    content: 'Echo: two',
  });
  first.kill('SIGTERM');
  await first.ended;
  await home.serve();
  expect((await call(home, 'mcp__files__list_allowed_directories', {})).envelope).toMatchObject({
    status: 'success',
    content: expect.stringContaining(home.root),
  });
});
