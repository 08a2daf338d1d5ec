import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createLogs } from './logs.ts';
import { follow, tail } from './log-reader.ts';

function tempFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-tail-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'x.jsonl');
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index} é`);
const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

verifies('cli:logs', 'the last lines are read from the end, whatever their size', async () => {
  const file = tempFile();
  const lines = [...numbered(0, 20_000), '€'.repeat(100_000), '', 'last'];
  writeFileSync(file, text(lines));
  for (const count of [0, 1, 2, 3, 4, 500, 20_003, 30_000]) {
    expect(await tail(file, count)).toEqual(count === 0 ? [] : lines.slice(-count));
  }
});

verifies('cli:logs', 'lines of rotated files come first when the newest has too few', async () => {
  const file = tempFile();
  writeFileSync(`${file}.2`, text(numbered(0, 10)));
  writeFileSync(`${file}.1`, text(numbered(10, 20)));
  expect(await tail(file, 5)).toEqual(numbered(15, 20));
  writeFileSync(file, text(numbered(20, 22)));
  expect(await tail(file, 15)).toEqual(numbered(7, 22));
  expect(await tail(file, 100)).toEqual(numbered(0, 22));
});

test('no log, an empty one and a line still being written give whole lines only', async () => {
  const file = tempFile();
  expect(await tail(file, 5)).toEqual([]);
  writeFileSync(file, '');
  expect(await tail(file, 5)).toEqual([]);
  writeFileSync(file, 'unfinished');
  expect(await tail(file, 5)).toEqual([]);
  writeFileSync(file, 'whole\nunfinished');
  expect(await tail(file, 5)).toEqual(['whole']);
});

/** Follows a file; `look` lets the follower look once and gives what it has seen since. */
function watch(file: string, last?: number) {
  const clock = createFakeClock();
  const stop = new AbortController();
  let seen: string[] = [];
  const done = follow(file, stop.signal, (line) => seen.push(line), clock, last);
  onTestFinished(async () => {
    stop.abort();
    await done;
    expect(clock.waiting).toBe(0);
  });
  return async () => {
    await clock.untilWaiting();
    clock.advance(250);
    await clock.untilWaiting();
    const news = seen;
    seen = [];
    return news;
  };
}

verifies('cli:logs', 'new lines are followed across rotation and truncation', async () => {
  const file = tempFile();
  writeFileSync(file, text(['old']));
  const look = watch(file);
  expect(await look()).toEqual([]);
  appendFileSync(file, 'one\ntw');
  expect(await look()).toEqual(['one']);
  appendFileSync(file, 'o\n');
  expect(await look()).toEqual(['two']);

  appendFileSync(file, 'before rotation\n');
  renameSync(file, `${file}.1`);
  expect(await look()).toEqual(['before rotation']);
  writeFileSync(file, 'after rotation\n');
  expect(await look()).toEqual(['after rotation']);

  truncateSync(file);
  expect(await look()).toEqual([]);
  appendFileSync(file, 'fresh\n');
  expect(await look()).toEqual(['fresh']);
});

verifies('cli:logs', 'several rotations between two looks lose nothing', async () => {
  const file = tempFile();
  writeFileSync(file, '');
  const look = watch(file);
  await look();
  appendFileSync(file, 'a\n');
  renameSync(file, `${file}.1`);
  writeFileSync(file, 'b\n');
  renameSync(`${file}.1`, `${file}.2`);
  renameSync(file, `${file}.1`);
  writeFileSync(file, 'c\n');
  expect(await look()).toEqual(['a', 'b', 'c']);
});

verifies('cli:logs', 'a log that does not exist yet is followed from its first line', async () => {
  const file = tempFile();
  const look = watch(file);
  expect(await look()).toEqual([]);
  writeFileSync(file, 'first\n');
  expect(await look()).toEqual(['first']);
  rmSync(file);
  writeFileSync(file, 'again\n');
  expect(await look()).toEqual(['again']);
});

verifies(
  'cli:logs',
  'the lines from before come first and none is missed or repeated',
  async () => {
    const file = tempFile();
    writeFileSync(`${file}.1`, text(numbered(0, 5)));
    writeFileSync(file, `${text(numbered(5, 7))}line 7`);
    const look = watch(file, 4);
    expect(await look()).toEqual(numbered(3, 7));
    appendFileSync(file, ' é\n');
    expect(await look()).toEqual(numbered(7, 8));
  },
);

verifies('cli:logs', 'a follower sees every line of a busy log that rotates', async () => {
  const file = tempFile();
  const logs = createLogs({
    dir: join(file, '..'),
    clock: createFakeClock(),
    timeZone: 'UTC',
    maxBytes: 2048,
    keepFiles: 50,
  });
  const look = watch(file);
  await look();
  const seen: string[] = [];
  for (let n = 0; n < 200; n++) {
    logs.log('x').info('line', { n, pad: 'x'.repeat(100) });
    if (n % 40 === 0) seen.push(...(await look()));
  }
  await logs.close();
  seen.push(...(await look()));
  expect(seen.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([...Array(200).keys()]);
});
