import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWordHold } from './word-hold.ts';

/** What is emitted of a text in these pieces before it ends, and what is held back. */
function hold(pieces: readonly string[], before = 'Before') {
  const word = createWordHold(before);
  const told = pieces.map((piece) => word.add(piece)).join('');
  return { told, held: word.held };
}

test.each([
  ['words', ['The quick', ' brown', ' fox'], 'The quick brown', ' fox'],
  ['a word in parts', ['The quick', ' bro', 'wn'], 'The quick', ' brown'],
  ['the mark after a word', ['It is over', '.'], 'It is', ' over.'],
  ['white space after a word', ['It is over', '. '], 'It is', ' over. '],
  ['a short last word', ['He saw', ' a'], 'He', ' saw a'],
  ['an apostrophe', ['I know it', " doesn't"], 'I know it', " doesn't"],
  ['a number', ['It costs', ' 3', '.14'], 'It costs', ' 3.14'],
  ['Chinese characters', ['熔断器', '打开'], '熔断器', '打开'],
  ['the mark of a list', ['one\n', '- ', 'two'], 'one', '\n- two'],
  ['the start of a row', ['| yes |\n', '| model'], '| yes |', '\n| model'],
  ['an indentation', ['{\n', '    return'], '{', '\n    return'],
  ['emoji', ['Done 🎉', '🚀'], 'Done', ' 🎉🚀'],
] as const)('the last word is held back: %s', (_, pieces, told, held) => {
  expect(hold(pieces)).toEqual({ told, held });
});

test('the first piece of an answer is emitted at once', () => {
  expect(hold(['The '], '').told).toBe('The ');
  expect(hold(['Breakers count fail'], '')).toEqual({ told: 'Breakers count', held: ' fail' });
});

test('nothing is lost or changed, and little is held back', () => {
  const piece = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 90 }), fc.lorem());
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const word = createWordHold('');
      let told = '';
      for (const each of pieces) {
        told += word.add(each);
        expect(word.held.length).toBeLessThanOrEqual(64);
      }
      expect(told + word.end()).toBe(pieces.join(''));
    }),
    { numRuns: 200 },
  );
});
