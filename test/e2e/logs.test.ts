import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome, finished, start } from './exai.ts';

verifies('cli:logs', 'the last lines are shown, readable or as stored', async () => {
  const { path, exai } = createHome();
  mkdirSync(path('logs'));
  const lines = Array.from({ length: 100 }, (_, index) => line(index));
  writeFileSync(path('logs', 'daemon.jsonl'), lines.join(''));
  const raw = await exai(['logs', '-n', '3', '--json']);
  expect(raw.stdout).toBe(lines.slice(-3).join(''));
  const readable = await exai(['logs', '--lines', '1']);
  expect(readable.stdout).toBe('2025-10-10 11:05:49 AEDT info  tick index=99\n');
  expect((await exai(['logs'])).stdout.split('\n')).toHaveLength(51);
  expect((await exai(['logs', '--name', 'deamon'])).stderr).toContain('did you mean "daemon"?');
});

verifies('cli:logs', 'calls are shown, connections only when asked for', async () => {
  const { exai, serve } = createHome();
  await serve();
  expect((await exai(['call', 'version'])).code).toBe(0);
  const ended =
    /info {2}call_ended req_id=\S+ tool=version status=success elapsed_ms=\d+ principal=local/;
  await expect.poll(async () => (await exai(['logs'])).stdout).toMatch(ended);
  const shown = await exai(['logs']);
  expect(shown.stdout).not.toContain('client_connected');
  expect(shown.stderr).toMatch(
    /^exai: \d+ lines about connections left out; --all shows them\.\n$/,
  );
  const all = await exai(['logs', '--all']);
  expect([all.stderr, all.stdout]).toEqual(['', expect.stringContaining('client_connected')]);
  const json = await exai(['logs', '--json']);
  expect([json.stderr, json.stdout]).toEqual(['', expect.stringContaining('client_connected')]);
});

verifies('cli:logs', 'lines are chosen by level and time', async () => {
  const { path, exai } = createHome();
  mkdirSync(path('logs'));
  const now = Date.now() / 1000;
  const records = [
    { timestamp_unix: now - 7200, level: 'error', event: 'old' },
    { timestamp_unix: now - 60, level: 'info', event: 'small' },
    { timestamp_unix: now - 60, level: 'warn', event: 'odd' },
    { timestamp_unix: now - 60, level: 'error', event: 'bad' },
  ];
  writeFileSync(
    path('logs', 'daemon.jsonl'),
    records.map((each) => `${JSON.stringify(each)}\n`).join(''),
  );
  const eventsOf = async (...args: string[]) => {
    const { stdout } = await exai(['logs', '--json', ...args]);
    const lines = stdout.trimEnd().split('\n');
    return lines.map((text) => (JSON.parse(text) as { event: string }).event);
  };
  expect(await eventsOf('--level', 'warn')).toEqual(['old', 'odd', 'bad']);
  expect(await eventsOf('--since', '1h')).toEqual(['small', 'odd', 'bad']);
  expect(await eventsOf('--since', '1h', '--level', 'error')).toEqual(['bad']);
  expect(await eventsOf('--since', '1h', '-n', '2')).toEqual(['odd', 'bad']);
  const level = await exai(['logs', '--level', 'wrn']);
  expect([level.code, level.stderr]).toEqual([3, expect.stringContaining('did you mean "warn"?')]);
  const since = await exai(['logs', '--since', 'yesterday']);
  expect([since.code, since.stderr]).toEqual([
    3,
    expect.stringContaining('"--since" must be a time'),
  ]);
});

verifies('cli:logs', 'following shows new lines across a rotation, until Ctrl-C', async () => {
  const { root, path } = createHome();
  const file = path('logs', 'daemon.jsonl');
  mkdirSync(path('logs'));
  writeFileSync(file, line(0));
  const child = start(root, ['logs', '-f', '--json']);
  const seen = reader(child.stdout);
  await seen('"index":0');
  appendFileSync(file, line(1));
  await seen('"index":1');
  renameSync(file, `${file}.1`);
  writeFileSync(file, line(2));
  await seen('"index":2');
  const ended = finished(child);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

function line(index: number): string {
  const record = {
    timestamp_local: '2025-10-10 11:05:49 AEDT',
    level: 'info',
    event: 'tick',
    index,
  };
  return `${JSON.stringify(record)}\n`;
}

/** Waits until a text has been printed. */
function reader(stream: NodeJS.ReadableStream | null) {
  let printed = '';
  let check = () => {};
  stream?.on('data', (chunk) => {
    printed += String(chunk);
    check();
  });
  return (text: string) =>
    new Promise<void>((resolve) => {
      check = () => void (printed.includes(text) && resolve());
      check();
    });
}
