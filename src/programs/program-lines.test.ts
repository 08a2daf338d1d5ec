import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter, readProgramLines, type ProgramLine } from './program-lines.ts';

async function linesOf(chunks: readonly Buffer[], maxBytes?: number): Promise<ProgramLine[]> {
  async function* stream() {
    yield* chunks;
  }
  const lines: ProgramLine[] = [];
  for await (const line of readProgramLines(stream(), maxBytes)) lines.push(line);
  return lines;
}

test('lines are the same however the output is cut into chunks', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', '漢', '\n', '\r\n', ' '))
    .map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(8), { minLength: 1 }), async (whole, sizes) => {
      const bytes = Buffer.from(whole);
      const chunks: Buffer[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const expected = whole.split('\n');
      if (expected.at(-1) === '') expected.pop();
      const lines = await linesOf(chunks);
      expect(lines).toEqual(
        expected.map((line) => ({ text: line.replace(/\r$/, ''), truncated: false })),
      );
    }),
  );
});

test('a line over the limit is cut, and the next one is whole', async () => {
  const chunks = ['aaaa', 'aaaa', 'a\nbbb', '\ncccccc'].map((text) => Buffer.from(text));
  expect(await linesOf(chunks, 5)).toEqual([
    { text: 'aaaaa', truncated: true },
    { text: 'bbb', truncated: false },
    { text: 'ccccc', truncated: true },
  ]);
});

test('a line without an end keeps no more than the limit', () => {
  const splitter = createLineSplitter(10);
  const chunk = Buffer.alloc(1_000_000, 'a');
  for (let turn = 0; turn < 100; turn++) expect(splitter.push(chunk)).toEqual([]);
  expect(splitter.end()).toEqual([{ text: 'aaaaaaaaaa', truncated: true }]);
});
