import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';

test('an uncaught error is logged, and the process ends with its exit code', async () => {
  const home = tempHome();
  const child = run(
    home,
    `${LOAD}
    await runDaemon(loaded, system, () => setTimeout(() => { throw new Error('the bug'); }, 1));`,
  );
  const { code, stderr } = await ended(child);
  expect([code, stderr]).toEqual([1, expect.stringContaining('exai logs')]);
  const log = readFileSync(join(home, 'logs', 'daemon.jsonl'), 'utf8');
  expect(log).toContain('"uncaught"');
});

verifies('daemon:drain', 'a second signal ends a stop that takes long', async () => {
  const child = run(
    tempHome(),
    `const { listenForStop } = await import('#app/daemon/run-daemon.ts');
    const requests = listenForStop();
    requests.first.then((signal) => console.log(signal));
    setInterval(() => {}, 1000);
    console.log('ready');`,
  );
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  expect(output.toString()).toBe('SIGTERM\n');
  child.kill('SIGINT');
  expect((await ended(child)).code).toBe(130);
});

test.skipIf(process.platform === 'win32')(
  'signals without a meaning change nothing, and none opens a debugger',
  async () => {
    const child = run(
      tempHome(),
      `const { listenForStop } = await import('#app/daemon/run-daemon.ts');
    const { url } = await import('node:inspector');
    const requests = listenForStop();
    requests.first.then((signal) => { console.log(signal, url()); process.exit(0); });
    setInterval(() => {}, 1000);
    console.log('ready');`,
    );
    await once(child.stdout, 'data');
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const) child.kill(signal);
    const said = once(child.stdout, 'data');
    child.kill('SIGQUIT');
    const [output] = (await said) as [Buffer];
    expect(output.toString()).toBe('SIGQUIT undefined\n');
    expect(await ended(child)).toEqual({ code: 0, stderr: '' });
  },
);

const LOAD = `
  const { runDaemon } = await import('#app/daemon/run-daemon.ts');
  const { system } = await import('#app/system.ts');
  const { homePaths, prepareHome } = await import('#config/home/home.ts');
  const { loadConfig } = await import('#config/load/load.ts');
  prepareHome(homePaths(process.env));
  const loaded = loadConfig({ env: process.env, flags: { port: '0' } });`;

function run(home: string, code: string) {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const args = ['--import', 'tsx', '--input-type=module', '-e', code];
  const env = { PATH: process.env['PATH'], HOME: home, EXAI_HOME: home };
  const child = spawn(process.execPath, args, { cwd: root, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ReturnType<typeof run>) {
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

function tempHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'exai-run-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}
