import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readCallArgs } from './call-args.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const ALWAYS = new AbortController().signal;

test('arguments come from the command line, a file or a pipe, or there are none', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'exai-args-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'args.json');
  writeFileSync(file, '{"from": "file"}\n');
  expect(await readCallArgs({}, ALWAYS)).toEqual({});
  expect(await readCallArgs({ args: '{"lines": 20}' }, ALWAYS)).toEqual({ lines: 20 });
  expect(await readCallArgs({ 'args-file': file }, ALWAYS)).toEqual({ from: 'file' });
  expect(await readCallArgs({ 'args-file': '-' }, ALWAYS, async () => '{"from": "pipe"}')).toEqual({
    from: 'pipe',
  });
  expect(await readCallArgs({ args: `@${file}` }, ALWAYS)).toEqual({ from: 'file' });
  expect(await readCallArgs({ args: '-' }, ALWAYS, async () => '{"from": "pipe"}')).toEqual({
    from: 'pipe',
  });
  await expect(readCallArgs({ args: '@' + join(dir, 'none') }, ALWAYS)).rejects.toThrow('ENOENT');
  await expect(readCallArgs({ 'args-file': join(dir, 'none') }, ALWAYS)).rejects.toThrow('ENOENT');
  await expect(readCallArgs({ args: '{}', 'args-file': file }, ALWAYS)).rejects.toMatchObject({
    class: 'bad_request',
  });
});

test.each([
  ['{"a": 1', '--args is not JSON: line 1, column 8: It ends here, but a } is missing.'],
  ["{'a': 1}", '--args is not JSON: line 1, column 2: A name in double quotes is missing here.'],
  [
    '{"a": 1,\n "b" 2}',
    '--args is not JSON: line 2, column 6: A colon is missing here, after a name.',
  ],
  ['', '--args is not JSON: line 1, column 1: It ends here, but a value is missing.'],
  ['[1]', '--args must be a JSON object, but is a list.'],
  ['null', '--args must be a JSON object, but is null.'],
  ['"x"', '--args must be a JSON object, but is a string.'],
])('%j is refused with the place and the reason', async (args, message) => {
  await expect(readCallArgs({ args }, ALWAYS)).rejects.toMatchObject({
    class: 'validation',
    field: '--args',
    message,
  });
});

test('a text that is too large to look for its fault is refused all the same', async () => {
  const args = `{"a": "${String.raw`\n`.repeat(MAX_BYTES / 2)}`;
  await expect(readCallArgs({ args }, ALWAYS)).rejects.toMatchObject({
    class: 'validation',
    field: '--args',
    message: '--args is not JSON.',
  });
});

test('a key called __proto__ is an argument like any other', async () => {
  const args = await readCallArgs({ args: '{"__proto__": {"x": 1}}' }, ALWAYS);
  expect(Object.keys(args)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
});
