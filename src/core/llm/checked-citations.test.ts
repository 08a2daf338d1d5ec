import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { ChatEvent, Citation } from './chat.ts';
import { checkWebCitations } from './checked-citations.ts';

const SOURCES: readonly Citation[] = [
  { title: 'A', url: 'https://a.example/one', mark: 'ref_1' },
  { title: 'B', url: 'https://b.example/', mark: 'ref_2' },
];
const USAGE = { input: 1, output: 1, cached: 0, reasoning: 0, estimated: false };

async function check(pieces: readonly string[], order: 'before' | 'after' = 'before') {
  async function* answer(): AsyncIterable<ChatEvent> {
    const cited = SOURCES.map((citation): ChatEvent => ({ type: 'citation', citation }));
    if (order === 'before') yield* cited;
    for (const text of pieces) yield { type: 'text', text };
    if (order === 'after') yield* cited;
    yield { type: 'usage', usage: USAGE };
    yield { type: 'finish', reason: 'stop' };
  }
  let text = '';
  let counts: unknown;
  for await (const event of checkWebCitations(answer())) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'notice') counts = event.notice.params;
  }
  return { text, counts };
}

verifies('web:citations', 'marks and links of results stay as they are', async () => {
  const written =
    'One [ref_1], two [ref_2]; see [A](https://a.example/one#part) and [B](https://b.example).';
  expect(await check([written])).toEqual({ text: written, counts: undefined });
});

verifies('web:citations', 'a mark that no result has is left out, and counted', async () => {
  expect(await check(['It is so [ref_1][re', 'f_7].'])).toEqual({
    text: 'It is so [ref_1].',
    counts: { marks: 1, links: 0 },
  });
});

verifies('web:citations', 'a link to an address that no result has is marked', async () => {
  expect(await check(['See [C](https://c.ex', 'ample/x) here.'])).toEqual({
    text: 'See [C](https://c.example/x) [not among the sources] here.',
    counts: { marks: 0, links: 1 },
  });
});

verifies(
  'web:citations',
  'where results come after the text, the notice alone counts',
  async () => {
    const written = 'One [ref_1] and [ref_9], [C](https://c.example/x).';
    expect(await check([written], 'after')).toEqual({
      text: written,
      counts: { marks: 1, links: 1 },
    });
  },
);

test('code is left as it is', async () => {
  const written = 'Use `a[ref_9]`:\n```\nx[ref_9] = [C](https://c.example)\n```\nDone.';
  expect(await check([written])).toEqual({ text: written, counts: undefined });
});

test('any other text stays, however it is cut', async () => {
  const text = fc.array(fc.constantFrom('[', ']', 'r', 'ref_', '3', 'a', '(', ')', ' ', '\n'));
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const whole = parts.join('').replaceAll(/\[ref_\d{1,4}\]/g, '');
      if (/\[ref_\d{1,4}\]/.test(whole)) return;
      expect((await check(whole.split(''))).text).toBe(whole);
    }),
  );
});

test('a failure ends the answer after what was held back', async () => {
  async function* cut(): AsyncIterable<ChatEvent> {
    yield { type: 'text', text: 'It is [re' };
    throw new Error('cut');
  }
  const seen: ChatEvent[] = [];
  await expect(
    (async () => {
      for await (const event of checkWebCitations(cut())) seen.push(event);
    })(),
  ).rejects.toThrow('cut');
  expect(seen).toEqual([
    { type: 'text', text: 'It is ' },
    { type: 'text', text: '[re' },
  ]);
});
