import { expect, test } from 'vitest';
import * as z from 'zod';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { fittingHead, readResult } from './read-result.ts';
import { createJobBench, runWith, type JobBench } from './jobs.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

interface Piece {
  readonly offset: number;
  readonly chars: number;
  readonly next?: number;
  readonly text: string;
}

async function read(bench: JobBench, args: Record<string, unknown>, principal = 'ann') {
  const tool = readResult(bench.deps);
  const { text, content } = await runWith(tool, args, bench.context({ principal }));
  const { content: shape } = (tool.outputSchema as { properties: { content: object } }).properties;
  expect(z.fromJSONSchema(shape as never).safeParse(content).error).toBe(undefined);
  return { text, content: content as Piece };
}

/** All pieces, as a model that follows `next` gets them. */
async function follow(bench: JobBench, id: string): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { content } = await read(bench, { id, offset });
    pieces.push(content);
    offset = content.next;
  }
  return pieces;
}

const PLAIN = 'The quick brown fox jumps over the lazy dog, again and again. '.repeat(3000);
const DENSE = '快速的棕色狐狸跳过懒狗，一次又一次。😀'.repeat(3000);
const SIGNS = '{}[]()<>;:!?#%&*+=~^|\\/"\'`'.repeat(3000);

test.each([
  ['words', PLAIN],
  ['ideographs', DENSE],
  ['signs', SIGNS],
  ['one endless word', 'x'.repeat(150_000)],
  ['words before ideographs', PLAIN.slice(0, 40_000) + DENSE],
])(
  'pieces of %s are the whole, fit a client, and none ends within a character',
  async (_, whole) => {
    const bench = createJobBench();
    const pieces = await follow(bench, bench.keep(whole));
    expect(pieces.map(({ text }) => text).join('')).toBe(whole);
    expect(pieces.length).toBeGreaterThan(1);
    for (const { text, chars } of pieces) {
      expect(text.isWellFormed()).toBe(true);
      expect(estimateTokens(text)).toBeLessThanOrEqual(20_000);
      expect(chars).toBe(whole.length);
    }
  },
);

verifies('results:paged', 'a piece says where it is, and how to go on', async () => {
  const bench = createJobBench();
  const id = bench.keep('abcdefghij'.repeat(30));
  expect(await read(bench, { id, max_chars: 200 })).toEqual({
    text: `${'abcdefghij'.repeat(20)}\n\n[Characters 0 to 200 of 300. Next: read_result with {"id": "${id}", "offset": 200}]`,
    content: { id, tool: 'chat', offset: 0, chars: 300, next: 200, text: 'abcdefghij'.repeat(20) },
  });
  expect(await read(bench, { id: `exai://results/${id}`, offset: 290 })).toEqual({
    text: 'abcdefghij\n\n[Characters 290 to 300 of 300: the end.]',
    content: { id, tool: 'chat', offset: 290, chars: 300, text: 'abcdefghij' },
  });
  expect(await read(bench, { id, offset: 300 })).toMatchObject({
    text: '[Characters 300 to 300 of 300: the end.]',
    content: { offset: 300, text: '' },
  });
});

verifies('results:paged', 'an offset within a character begins with the character', async () => {
  const bench = createJobBench();
  const id = bench.keep(`ab😀cd`);
  expect((await read(bench, { id, offset: 3 })).content).toMatchObject({ offset: 2, text: '😀cd' });
});

verifies('results:paged', 'a client that takes less gets less', async () => {
  const bench = createJobBench();
  const id = bench.keep(PLAIN);
  const tool = readResult({ ...bench.deps, maxTokens: 1000 });
  const { content } = await runWith(tool, { id }, bench.context());
  expect(estimateTokens((content as Piece).text)).toBeLessThanOrEqual(800);
});

verifies('results:paged', 'what cannot be read says which argument is wrong', async () => {
  const bench = createJobBench();
  const id = bench.keep('abc');
  await expect(read(bench, { id, offset: 4 })).rejects.toMatchObject({
    class: 'validation',
    field: 'offset',
    message: 'The result has 3 characters.',
  });
  await expect(read(bench, { id }, 'bob')).rejects.toMatchObject({
    class: 'not_found',
    field: 'id',
  });
  await expect(read(bench, { id: 'res_1' })).rejects.toMatchObject({
    class: 'validation',
    field: 'id',
  });
  const job = bench.begin();
  await expect(read(bench, { id: job })).rejects.toMatchObject({
    class: 'validation',
    fixes: [{ kind: 'advice' }, { kind: 'job_result', params: { id: job } }],
  });
});

test.each([
  [{ offset: -1 }, 'offset'],
  [{ offset: 0.5 }, 'offset'],
  [{ offset: 2 ** 60 }, 'offset'],
  [{ offset: '1' }, 'offset'],
  [{ max_chars: 1 }, 'max_chars'],
  [{ max_chars: 1_000_001 }, 'max_chars'],
])('%j is refused', (args, field) => {
  const tool = readResult(createJobBench().deps);
  expect(() => tool.parse({ id: 'res_1', ...args })).toThrow(
    expect.objectContaining({ class: 'validation', field }) as Error,
  );
});

verifies('results:paged', 'a head is never empty, however little may be in it', () => {
  expect(fittingHead('😀😀', 0)).toBe('😀');
  expect(fittingHead('a😀', 0)).toBe('a');
  expect(fittingHead('', 0)).toBe('');
});
