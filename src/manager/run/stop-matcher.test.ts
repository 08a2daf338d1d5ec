import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStopMatcher } from './stop-matcher.ts';

/** Passes a text through a matcher in the given pieces. */
function pass(pieces: readonly string[], stops: readonly string[], before = '') {
  const matcher = createStopMatcher(stops, before);
  const emitted = pieces.map((piece) => matcher.add(piece));
  return { emitted, text: emitted.join('') + matcher.flush(), matched: matcher.matched };
}

/** The text up to the stop text that is complete first, found the simple way. */
function upToFirstStop(text: string, stops: readonly string[]) {
  for (let end = 1; end <= text.length; end++) {
    const complete = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    if (complete.length > 0) {
      return text.slice(0, end - Math.max(...complete.map(({ length }) => length)));
    }
  }
  return text;
}

function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [...new Set(places.map((at) => at % (text.length + 1)))].toSorted((a, b) => a - b);
  return [...cuts, text.length].map((end, index) => text.slice(cuts[index - 1] ?? 0, end));
}

/** Few letters, so that stop texts occur, overlap and begin in vain. */
const word = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', '😀'), minLength, maxLength });
const stopTexts = fc.array(word(1, 4), { minLength: 1, maxLength: 6 });
const places = fc.array(fc.nat(), { maxLength: 12 });

describe('a text is ended before its first stop text', () => {
  test('whatever the text, its pieces and the stop texts', () => {
    fc.assert(
      fc.property(word(0, 40), places, stopTexts, (text, cuts, stops) => {
        const expected = upToFirstStop(text, stops);
        const { text: passed, matched } = pass(cutAt(text, cuts), stops);
        expect(passed).toBe(expected);
        const atEnd = stops.filter((stop) => text.startsWith(stop, expected.length));
        expect(expected === text ? [undefined] : atEnd).toContain(matched);
      }),
      { numRuns: 2000 },
    );
  });

  test('also where it begins in text that was emitted earlier', () => {
    fc.assert(
      fc.property(word(0, 20), word(0, 20), places, stopTexts, (before, text, cuts, stops) => {
        fc.pre(upToFirstStop(before, stops) === before);
        const all = upToFirstStop(before + text, stops);
        const { text: passed, matched } = pass(cutAt(text, cuts), stops, before);
        expect(passed).toBe(all.slice(before.length));
        expect(matched !== undefined).toBe(all !== before + text);
      }),
      { numRuns: 2000 },
    );
  });

  test('which is told as soon as it is complete', () => {
    const matcher = createStopMatcher(['END']);
    expect([matcher.add('one E'), matcher.matched]).toEqual(['one ', undefined]);
    expect([matcher.add('ND two'), matcher.matched]).toEqual(['', 'END']);
    expect([matcher.add(' three'), matcher.flush()]).toEqual(['', '']);
  });

  test('and of several the one that is complete first is told', () => {
    expect(pass(['say stops'], ['stops', 'stop'])).toMatchObject({ text: 'say ', matched: 'stop' });
    expect(pass(['abcd'], ['abcd', 'c'])).toMatchObject({ text: 'ab', matched: 'c' });
    expect(pass(['abcd'], ['c', 'bc'])).toMatchObject({ text: 'a', matched: 'bc' });
  });
});

test('only an end that may begin a stop text is held back', () => {
  const { emitted, text } = pass(['a STO', 'RE and a S'], ['STOP']);
  expect(emitted).toEqual(['a ', 'STORE and a ']);
  expect(text).toBe('a STORE and a S');
});

test('text after a flush does not complete what was held back before it', () => {
  const matcher = createStopMatcher(['STOP']);
  expect([matcher.add('a ST'), matcher.flush(), matcher.add('OP b STOP c')]).toEqual([
    'a ',
    'ST',
    'OP b ',
  ]);
});

test('without stop texts everything passes', () => {
  expect(pass(['a', 'b'], [])).toEqual({ emitted: ['a', 'b'], text: 'ab', matched: undefined });
});

test('stop texts that nearly match cost no more than others', () => {
  const stops = Array.from({ length: 64 }, (_, at) => `${'a'.repeat(900 + at)}b`);
  const matcher = createStopMatcher(stops);
  let passed = '';
  for (let at = 0; at < 100; at++) passed += matcher.add('a'.repeat(1000));
  passed += matcher.add('c');
  expect(passed + matcher.flush()).toHaveLength(100_001);
});
