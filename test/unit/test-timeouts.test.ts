import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Long runs and real clients have limits of their own, and the simulation a clock of its own. */
const ELSEWHERE =
  /^test\/(?:soak|sim|tools|clients)\/|^test\/unit\/(?:test-timeouts|lint-rules)\.test\.ts$|^test\/eventually\.ts$/;
const OF_TESTS = /^(?:src|emulator)\/.*\.(?:test|fixture)\.ts$|^test\/.*\.ts$/;

const LEAST_POLL_MS = 30_000;
/** As in vitest.config.ts: whatever is shorter only fails on a slow machine. */
const LEAST_TEST_MS = 180_000;

interface Rule {
  readonly refused: RegExp;
  /** A limit that is at least this long is fine. */
  readonly leastMs?: number;
  readonly fix: string;
}

const RULES: readonly Rule[] = [
  {
    refused: /\bvi\.(?:waitFor|waitUntil)\(/g,
    fix: 'Use expect.poll, or retried() of test/eventually.ts: the default is one second.',
  },
  {
    refused: /\bvi\.setConfig\(/g,
    fix: 'Files of one process share it. vitest.config.ts sets the timeouts.',
  },
  {
    refused: /\.poll\((?:(?!;\n)[^])*?\btimeout: ([\d_]+)/g,
    leastMs: LEAST_POLL_MS,
    fix: 'Leave the timeout out: vitest.config.ts sets it.',
  },
  {
    refused: /(?:performance|Date)\.now\(\) - (?:(?!;\n)[^])*?\.toBeLessThan/g,
    fix: 'Use the fake clock, or count what happened.',
  },
  { refused: /\bAbortSignal\.timeout\(/g, fix: 'Leave it to the timeout of the test.' },
  {
    refused: /^ {0,4}\}, ([\d_]+)\);$/gm,
    leastMs: LEAST_TEST_MS,
    fix: 'Leave the timeout out: vitest.config.ts sets it.',
  },
];

/** Each place of a text that a rule refuses, with its line and the fix. */
function refusedIn(text: string): readonly string[] {
  return RULES.flatMap(({ refused, leastMs, fix }) =>
    [...text.matchAll(refused)]
      .filter(([, limit = '0']) => Number(limit.replaceAll('_', '')) < (leastMs ?? Infinity))
      .map(({ index }) => `${text.slice(0, index).split('\n').length}: ${fix}`),
  );
}

test('no test decides by how fast the machine is', () => {
  const files = ['src', 'emulator', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((name) => OF_TESTS.test(name) && !ELSEWHERE.test(name)),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = files
    .filter((file) => !file.includes('/node_modules/'))
    .flatMap((file) =>
      refusedIn(readFileSync(join(ROOT, file), 'utf8')).map((each) => `${file}:${each}`),
    );
  expect(found).toEqual([]);
});

test.each([
  'await vi.waitFor(() => expect(seen).toBe(1));',
  'vi.setConfig({ testTimeout: 30_000 });',
  'await expect\n  .poll(() => seen, { timeout: 5_000 })\n  .toBe(1);\n',
  'expect(performance.now() - begunAt).toBeLessThan(8000);',
  'await fetch(url, { signal: AbortSignal.timeout(1000) });',
  "test('is there', async () => {\n}, 30_000);",
])('a test that is refused: %j', (text) => {
  expect(refusedIn(text)).toHaveLength(1);
});

test.each([
  'await expect.poll(() => seen).toBe(1);',
  'await expect.poll(() => seen, { timeout: 30_000 }).toBe(1);',
  "test('is there', async () => {\n}, 600_000);",
])('a test that is fine: %j', (text) => {
  expect(refusedIn(text)).toEqual([]);
});
