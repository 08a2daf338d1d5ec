import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

interface Printed {
  readonly started?: boolean;
  readonly stopped?: { readonly pid: number } | null;
  readonly pid: number;
  readonly url: string;
}

/** A home whose daemon takes any free port and is stopped at the end of the test. */
function user() {
  const { exai, path } = createHome();
  const env = { EXAI_PORT: '0' };
  onTestFinished(async () => void (await exai(['stop'])));
  const run = (...args: string[]) => exai(args, { env });
  const document = async (...args: string[]) =>
    JSON.parse((await run(...args, '--json')).stdout) as Printed;
  return { exai, path, run, document };
}

verifies('daemon:start', 'start returns when the daemon answers, and says where', async () => {
  const { run, document } = user();
  const first = await run('start');
  const said = /^Started the daemon at (http:\S+) \(pid (\d+)\)\.\n/.exec(first.stdout);
  expect([first.code, first.stderr]).toEqual([0, '']);
  const [, url = '', pid] = said ?? [];
  expect(first.stdout).toContain(`${url}/mcp`);
  expect(first.stdout).toContain(`${url}/v1`);
  expect((await get(`${url}/healthz`)).status).toBe(200);

  const second = await run('start');
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`The daemon runs already at ${url} (pid ${pid}).\n`) as string,
  });
  expect(await document('start')).toMatchObject({ started: false, pid: Number(pid), url });
});

verifies('daemon:start', 'several starts at once start one daemon', async () => {
  const { document } = user();
  const all = await Promise.all([1, 2, 3].map(() => document('start')));
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
});

verifies('daemon:start', 'start works where other commands may start none', async () => {
  const { exai } = user();
  const env = { EXAI_PORT: 'off', EXAI_AUTOSTART: 'off' };
  expect((await exai(['tools'], { env })).stderr).toContain('Start one with: exai start');
  expect((await exai(['start'], { env })).stdout).toContain('daemon.sock');
  expect((await exai(['tools'], { env })).code).toBe(0);
});

verifies('daemon:start', 'restart replaces the daemon, and starts one where none ran', async () => {
  const { run, document } = user();
  const first = await document('restart');
  expect(first.stopped).toBeNull();
  const second = await document('restart');
  expect(second.stopped).toMatchObject({ pid: first.pid });
  expect(second.pid).not.toBe(first.pid);
  const third = await run('restart');
  expect(third.stdout).toMatch(/^Restarted the daemon at http:\S+ \(pid \d+; it was pid \d+/);
});

verifies('daemon:start', 'restart stops nothing when the settings are not valid', async () => {
  const { path, run, document } = user();
  const { pid, url } = await document('start');
  writeFileSync(path('config.json'), '{ "port": ');
  expect(await run('restart')).toMatchObject({ code: 3, stdout: '' });
  expect(JSON.parse((await get(`${url}/healthz`)).body)).toMatchObject({ pid });
});
