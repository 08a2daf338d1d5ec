import { execFile } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  appendFileSync,
  mkdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createLogs, type LogsOptions } from './logs.ts';

function open(options: Partial<LogsOptions> = {}) {
  const dir = options.dir ?? tempDir();
  const clock = createFakeClock();
  const problems: string[] = [];
  const logs = createLogs({
    dir,
    clock,
    timeZone: 'Australia/Melbourne',
    maxBytes: 1_000_000,
    keepFiles: 3,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  onTestFinished(() => logs.close());
  return { dir, clock, problems, logs, log: logs.log('daemon'), file: join(dir, 'daemon.jsonl') };
}

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-logs-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

type Line = Record<string, unknown>;

/** Every line of a log, oldest first, each of which must be JSON. */
function linesIn(dir: string, name = 'daemon.jsonl'): Line[] {
  return readdirSync(dir)
    .filter((file) => file.startsWith(name))
    .sort((a, b) => ageOf(b) - ageOf(a))
    .flatMap((file) => readFileSync(join(dir, file), 'utf8').split(/(?<=\n)/))
    .map((line) => {
      expect(line.endsWith('\n')).toBe(true);
      return JSON.parse(line) as Line;
    });
}

function ageOf(file: string): number {
  return Number(/\.(\d+)$/.exec(file)?.[1] ?? 0);
}

verifies(
  'log:timestamps',
  'a line carries its times, level, event, request and fields',
  async () => {
    const { logs, log, dir } = open();
    log.info('started', { port: 8765 });
    log.with({ req_id: 'req_1', tool: 'chat' }).warn('slow', { tool: 'ask', error: undefined });
    await logs.flush();
    const times = {
      timestamp_unix: 1760054749.591,
      timestamp_utc: '2025-10-10T00:05:49.591Z',
      timestamp_local: '2025-10-10 11:05:49 AEDT',
    };
    expect(linesIn(dir)).toEqual([
      { ...times, level: 'info', event: 'started', req_id: null, port: 8765 },
      { ...times, level: 'warn', event: 'slow', req_id: 'req_1', tool: 'ask' },
    ]);
  },
);

verifies(
  'log:timestamps',
  'no field can take the place of the head or break the line',
  async () => {
    const { logs, log, dir } = open();
    log.error('a\nb\u2028', {
      event: 'x',
      level: 1,
      req_id: 'req_2',
      'n\n': '\r\n',
      __proto__: null,
    });
    log.with({ timestamp_utc: 'never' }).info('c');
    await logs.flush();
    const [first, second] = linesIn(dir);
    expect(first).toMatchObject({
      level: 'error',
      event: 'a\nb\u2028',
      req_id: 'req_2',
      event_: 'x',
      level_: 1,
      'n\n': '\r\n',
    });
    expect(second).toMatchObject({ event: 'c', timestamp_utc_: 'never', req_id: null });
    expect(second?.['timestamp_utc']).not.toBe('never');
  },
);

verifies(
  'log:redaction',
  'events, fields and bound fields are written without secrets',
  async () => {
    const { logs, log, file } = open({ secrets: ['my own secret'] });
    const key = 'sk-0123456789abcdef0123';
    log.with({ headers: ['Cookie', 'id=42'], note: 'my own secret' }).info(`got ${key}`, { key });
    await logs.flush();
    const text = readFileSync(file, 'utf8');
    for (const secret of [key, 'id=42', 'my own secret']) expect(text).not.toContain(secret);
  },
);

verifies(
  'log:aliases',
  'a renamed event carries its old name, which no field can replace',
  async () => {
    const { logs, log, dir } = open();
    log.info('client_connected', { event_alias: 'other' });
    log.warn('ws_dropped_more', { left_out: 3 });
    log.info('started');
    await logs.flush();
    const [first, second, third] = linesIn(dir);
    expect(first).toMatchObject({ event_alias: 'client_greeted', event_alias_: 'other' });
    expect(second).toMatchObject({ event: 'ws_dropped_more', event_alias: 'ws_cut_more' });
    expect(third).not.toHaveProperty('event_alias');
  },
);

test('each line is reported with the name of its log', () => {
  const reported: string[] = [];
  const { logs, log } = open({ onLine: (name) => reported.push(name) });
  log.info('one');
  log.with({ req_id: 'r' }).error('two');
  logs.log('attempts').warn('three');
  expect(reported).toEqual(['daemon', 'daemon', 'attempts']);
});

test('two logs of one name share a file, and a name cannot leave the folder', async () => {
  const { logs, log, dir } = open();
  log.info('one');
  logs.log('daemon').info('two');
  logs.log('access').info('three');
  await logs.flush();
  expect(linesIn(dir).map((line) => line['event'])).toEqual(['one', 'two']);
  expect(linesIn(dir, 'access.jsonl').map((line) => line['event'])).toEqual(['three']);
  for (const name of ['../x', 'a/b', '', '.', 'a.jsonl']) {
    expect(() => logs.log(name)).toThrow(RangeError);
  }
});

test('log files are readable by their owner only, also when one was there before', async () => {
  const { logs, log, file } = open();
  writeFileSync(file, '{}\n', { mode: 0o644 });
  log.info('x');
  logs.log('new').info('x');
  await logs.flush();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(file.replace('daemon', 'new')).mode & 0o777).toBe(0o600);
});

verifies(
  'log:rotation',
  'no file exceeds its size, no line is split and none is lost',
  async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 9 }), async (lengths, flushEvery) => {
        const { logs, log, dir } = open({ maxBytes: 1024, keepFiles: 1000 });
        for (const [n, length] of lengths.entries()) {
          log.info('line', { n, pad: 'é'.repeat(length / 2) });
          if (n % flushEvery === 0) await logs.flush();
        }
        await logs.close();
        expect(linesIn(dir).map((line) => line['n'])).toEqual([...lengths.keys()]);
        for (const name of readdirSync(dir)) {
          expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(1024);
        }
      }),
      { numRuns: 10 },
    );
  },
);

verifies('log:rotation', 'only the configured number of older files stays', async () => {
  const { logs, log, dir } = open({ maxBytes: 1024, keepFiles: 2 });
  for (let n = 0; n < 40; n++) log.info('line', { n, pad: 'x'.repeat(300) });
  await logs.flush();
  expect(readdirSync(dir).sort()).toEqual(['daemon.jsonl', 'daemon.jsonl.1', 'daemon.jsonl.2']);
  expect(linesIn(dir).at(-1)).toMatchObject({ n: 39 });

  const none = open({ maxBytes: 1024, keepFiles: 0 });
  for (let n = 0; n < 10; n++) none.log.info('line', { n, pad: 'x'.repeat(300) });
  await none.logs.flush();
  expect(readdirSync(none.dir)).toEqual(['daemon.jsonl']);
});

verifies('log:rotation', 'files beyond a lowered number of files are removed', async () => {
  const { logs, log, dir, file } = open({ maxBytes: 1024, keepFiles: 1 });
  const others = ['daemon.jsonl.x', 'daemon.jsonl.02', 'daemon.jsonl.2.gz', 'other.jsonl.9'];
  const left = ['daemon.jsonl.1', 'daemon.jsonl.2', 'daemon.jsonl.40', 'daemon.jsonl.999'];
  for (const name of [...others, ...left]) writeFileSync(join(dir, name), '{}\n');
  for (let n = 0; n < 2; n++) log.info('line', { n, pad: 'x'.repeat(600) });
  await logs.flush();
  const kept = ['daemon.jsonl', 'daemon.jsonl.1', ...others];
  expect(readdirSync(dir).sort()).toEqual(kept.sort());
  expect(readFileSync(`${file}.1`, 'utf8')).toContain('"n":0');
});

verifies('log:rotation', 'of a flood, what was not written is counted, line for line', async () => {
  const { logs, log, dir } = open({ maxBytes: 100_000, keepFiles: 1000 });
  const pad = 'x'.repeat(10_000);
  for (let n = 0; n < 600; n++) log.info('line', { n, pad });
  await logs.flush();
  const lines = linesIn(dir);
  const dropped = lines.find((line) => line['event'] === 'log_lines_dropped')?.['dropped'];
  const written = lines.filter((line) => line['event'] === 'line').map((line) => line['n']);
  // The flood comes in one go, so what fits in memory is its beginning.
  expect(written).toEqual([...written.keys()]);
  expect(dropped).toBe(600 - written.length);
  expect(dropped).toBeGreaterThan(0);
});

verifies('log:rotation', 'a rotation that was interrupted goes on where it stopped', async () => {
  const { logs, log, dir, file } = open({ maxBytes: 1024, keepFiles: 3 });
  for (const [path, event] of [
    [`${file}.3`, 'a'],
    [`${file}.2`, 'b'],
    [file, 'c'],
  ] as const) {
    writeFileSync(path, `${JSON.stringify({ event, pad: 'x'.repeat(900) })}\n`);
  }
  log.info('d', { pad: 'x'.repeat(300) });
  await logs.flush();
  expect(linesIn(dir).map((line) => line['event'])).toEqual(['a', 'b', 'c', 'd']);
});

verifies('log:rotation', 'a line too long for any file is shortened and says so', async () => {
  const { logs, log, dir } = open({ maxBytes: 2000 });
  log.with({ req_id: 'req_1' }).info('huge', { text: '€"\\'.repeat(3000), other: [1, 2] });
  log.info('e'.repeat(9000));
  await logs.flush();
  const [first, second] = linesIn(dir);
  expect(first).toMatchObject({ event: 'huge', req_id: 'req_1', level: 'info' });
  expect(first?.['shortened_from_bytes']).toBeGreaterThan(18_000);
  expect(first?.['fields_begin']).toMatch(/^"text":"€/);
  expect(second).toMatchObject({ event: 'e'.repeat(120), fields_begin: '' });
});

test('a half-written last line, left by a crash, is cut off before the next', async () => {
  const { logs, log, dir, file } = open();
  writeFileSync(file, `{"event":"whole"}\n${'{"event":"cut"'.padEnd(100_000, 'x')}`);
  log.info('next');
  await logs.flush();
  expect(linesIn(dir).map((line) => line['event'])).toEqual(['whole', 'next']);
});

verifies(
  'log:disk-full',
  'lines wait for a disk that is full and are written when it is not',
  async () => {
    const { logs, log, dir, file, clock, problems } = open();
    symlinkSync('/dev/full', file);
    for (let n = 0; n < 5; n++) log.info('waiting', { n });
    await clock.untilWaiting();
    clock.advance(100);
    await logs.flush();
    expect(problems).toEqual([expect.stringMatching(/^Cannot write .*daemon\.jsonl: .*ENOSPC/)]);
    unlinkSync(file);
    clock.advance(60_000);
    await logs.flush();
    expect(linesIn(dir).map((line) => line['n'])).toEqual([0, 1, 2, 3, 4]);
  },
);

verifies('log:disk-full', 'what does not fit in memory is counted and reported later', async () => {
  const { logs, log, dir, file, clock } = open({ maxBytes: 100_000_000 });
  symlinkSync('/dev/full', file);
  const pad = 'x'.repeat(10_000);
  for (let n = 0; n < 600; n++) log.info('waiting', { n, pad });
  await clock.untilWaiting();
  unlinkSync(file);
  clock.advance(100);
  await logs.flush();
  const lines = linesIn(dir);
  const written = lines.filter((line) => line['event'] === 'waiting');
  expect(written.map((line) => line['n'])).toEqual([...written.keys()]);
  expect(lines.at(-1)).toMatchObject({
    event: 'log_lines_dropped',
    level: 'warn',
    req_id: null,
    dropped: 600 - written.length,
  });
  expect(written.length).toBeGreaterThan(300);
});

test('an info line waits a moment to be written with others; a warning does not', async () => {
  const { logs, log, clock, dir } = open();
  log.info('one');
  log.info('two');
  expect(clock.waiting).toBe(1);
  log.warn('three');
  expect(clock.waiting).toBe(0);
  await logs.flush();
  log.info('four');
  clock.advance(25);
  expect(clock.waiting).toBe(0);
  await logs.flush();
  expect(linesIn(dir).map((line) => line['event'])).toEqual(['one', 'two', 'three', 'four']);
});

test('an info line that comes while others are written waits for more as well', async () => {
  const { logs, log, clock, dir } = open();
  log.warn('one');
  await expect.poll(() => linesIn(dir).length).toBe(1);
  log.info('two');
  await expect.poll(() => clock.waiting).toBe(1);
  expect(linesIn(dir)).toHaveLength(1);
  log.info('three');
  clock.advance(25);
  await logs.flush();
  expect(linesIn(dir).map((line) => line['event'])).toEqual(['one', 'two', 'three']);
});

verifies(
  'log:disk-full',
  'a deleted folder comes back, and one that cannot be made is retried',
  async () => {
    const parent = tempDir();
    const dir = join(parent, 'logs');
    const { logs, log, clock, problems } = open({ dir });
    log.info('one');
    await logs.flush();
    rmSync(dir, { recursive: true });
    log.info('two');
    await logs.flush();
    expect(linesIn(dir).map((line) => line['event'])).toEqual(['two']);

    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'in the way');
    log.warn('three');
    await clock.untilWaiting();
    expect(problems).toHaveLength(1);
    rmSync(dir);
    clock.advance(100);
    await logs.flush();
    expect(linesIn(dir).map((line) => line['event'])).toEqual(['three']);
  },
);

verifies(
  'log:disk-full',
  'retries come further and further apart, and flush tries at once',
  async () => {
    const { logs, log, file, clock } = open();
    symlinkSync('/dev/full', file);
    log.warn('x');
    for (const delay of [100, 200, 400, 800]) {
      await clock.untilWaiting();
      clock.advance(delay - 1);
      expect(clock.waiting).toBe(1);
      clock.advance(1);
      expect(clock.waiting).toBe(0);
    }
    await logs.flush();
    expect(clock.waiting).toBe(1);
  },
);

verifies(
  'log:disk-full',
  'closing on a full disk gives up, says so and leaves no timer',
  async () => {
    const { logs, log, file, clock, problems } = open();
    symlinkSync('/dev/full', file);
    log.info('lost');
    log.info('lost too');
    await logs.close();
    log.info('ignored');
    expect(clock.waiting).toBe(0);
    expect(problems.at(-1)).toMatch(/^2 log lines could not be written/);
  },
);

verifies(
  'log:disk-full',
  'a write that stops half-way leaves whole lines and repeats none',
  async () => {
    const dir = tempDir();
    const writer = fileURLToPath(new URL('../../../test/fixtures/log-writer.ts', import.meta.url));
    // Beyond the limit a write stops in the middle, as it does on a disk that fills up.
    const limited = `ulimit -f 8; exec "$0" --import tsx "${writer}" "${dir}"`;
    await promisify(execFile)('bash', ['-c', limited, process.execPath]);
    const before = linesIn(dir);
    expect(before.length).toBeGreaterThan(10);
    expect(before.map((line) => line['n'])).toEqual([...before.keys()]);
    expect(statSync(join(dir, 'daemon.jsonl')).size).toBeLessThanOrEqual(8192);
  },
);

test('a file that is moved away or emptied from outside is followed by a good one', async () => {
  const { logs, log, dir, file } = open({ maxBytes: 1024 });
  log.info('one', { pad: 'x'.repeat(600) });
  await logs.flush();
  writeFileSync(file, '');
  log.info('two', { pad: 'x'.repeat(600) });
  await logs.flush();
  mkdirSync(join(dir, 'away'));
  appendFileSync(file, '{"event":"by another"}\n');
  log.info('three');
  await logs.flush();
  expect(linesIn(dir).map((line) => line['event'])).toEqual(['two', 'by another', 'three']);
});
