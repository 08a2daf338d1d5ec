import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createThinkTagParser } from './think-tags.ts';

const BOX = ['<|begin_of_box|>', '<|end_of_box|>'];

function sort(pieces: readonly string[], marks: readonly string[] = []) {
  const sorter = createThinkTagParser(marks);
  const all = [...pieces.map((piece) => sorter.take(piece)), sorter.end()];
  return {
    text: all.map(({ text }) => text).join(''),
    reasoning: all.map(({ reasoning }) => reasoning).join(''),
  };
}

test('a tag at the beginning is reasoning, and what follows is the answer', () => {
  expect(sort(['<think>Two and two.</think>\n\nFour.'])).toEqual({
    text: 'Four.',
    reasoning: 'Two and two.',
  });
});

test('a tag later on is part of the answer', () => {
  expect(sort(['Write <think>x</think> in the file.'])).toEqual({
    text: 'Write <think>x</think> in the file.',
    reasoning: '',
  });
});

test('a tag that never ends is reasoning only', () => {
  expect(sort(['<think>Hm'])).toEqual({ text: '', reasoning: 'Hm' });
});

test('marks of the vendor vanish wherever they stand', () => {
  expect(sort(['It is <|begin_of_box|>4<|end_of_box|>.'], BOX)).toEqual({
    text: 'It is 4.',
    reasoning: '',
  });
});

test('the cut of the pieces changes nothing', () => {
  const text =
    ' <think>a < b </thin </think>\nx <|begin_of_box|>4<|end_of_box|> <th <think>y</think> <|e';
  const whole = sort([text], BOX);
  expect(whole).toEqual({ text: 'x 4 <th <think>y</think> <|e', reasoning: 'a < b </thin ' });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(sort(pieces, BOX)).toEqual(whole);
    }),
  );
});
