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
