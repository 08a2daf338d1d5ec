import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampled } from '../../../test/thorough.ts';
import { toldUntil } from './seam-matrix.fixture.ts';
import { createContinuationStitcher } from './stitcher.ts';
import {
  CODE_TEXTS,
  cutsOf,
  DOUBLED_TEXTS,
  ORDINARY_TEXTS,
  PERIODIC_TEXTS,
  PREAMBLES,
} from './ways.fixture.ts';

/** Longer texts are not cut everywhere. */
const EVERY_CUT_CHARS = 250;
const PIECES = [[1], [7], [3, 40], [1000]] as const;

/** The text with its continuation, in pieces of these lengths; undefined if that is refused. */
function joined(
  before: string,
  continuation: string,
  heldBack: string,
  lengths: readonly number[] = [4],
): string | undefined {
  const stitcher = createContinuationStitcher(before, { heldBack });
  let out = before;
  let at = 0;
  for (let turn = 0; at < continuation.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    out += stitcher.add(continuation.slice(at, at + length));
    at += length;
  }
  out += stitcher.end();
  return stitcher.refused ? undefined : out;
}

/** What becomes of a text at every cut, if it is continued in this way; cuts at which nothing was told are left out. */
function joinedAtCuts(text: string, say: (told: string, rest: string) => string) {
  const cuts = text.length < EVERY_CUT_CHARS ? cutsOf(text) : sampled(cutsOf(text), 7);
  return cuts.flatMap((cut, index) => {
    const { told, heldBack } = toldUntil(text, cut);
    if (told === '') return [];
    const said = say(told, text.slice(told.length));
    const whole = joined(told, said, heldBack, PIECES[index % PIECES.length]);
    return [{ cut, told, heldBack, whole }];
  });
}

const blankless = (text: string) => text.replaceAll(/\s/gu, '');
const exactly = (_: string, rest: string) => rest;

describe('an exact continuation', () => {
  test.each(Object.entries(ORDINARY_TEXTS))('is whole at every cut of %s', (_, text) => {
    expect(joinedAtCuts(text, exactly).filter(({ whole }) => whole !== text)).toEqual([]);
  });

  test.each(Object.entries({ ...CODE_TEXTS, ...DOUBLED_TEXTS, ...PERIODIC_TEXTS }))(
    'is whole or refused at every cut of %s, where something comes twice',
    (_, text) => {
      const wrong = joinedAtCuts(text, exactly).filter(({ whole = text }) => whole !== text);
      expect(wrong).toEqual([]);
    },
  );

  test('is whole or refused at every cut of any pattern', () => {
    const word = fc.constantFrom('xy', 'q ', 'mn', '\n- ', '🎉', '熔断', 'the ', '0', ', ', '| ');
    const part = fc
      .uniqueArray(word, { minLength: 1, maxLength: 9 })
      .map((words) => words.join(''));
    fc.assert(
      fc.property(part, fc.integer({ min: 3, max: 9 }), (pattern, times) => {
        const text = pattern.repeat(times);
        const isWrong = (whole: string) => blankless(whole) !== blankless(text);
        const all = joinedAtCuts(text, exactly);
        expect(all.filter(({ whole = text }) => isWrong(whole))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['a word that is doubled on purpose', 'It was a very', ' very long day', ' very'],
    [
      'lines of a log',
      '2026-01-01 INFO the server has started, worker 1',
      '\n2026-01-01 INFO the server has started, worker 2\n',
      '\n2026',
    ],
    ['a sentence about the rest', 'That was a part.', '\n\nHere is the rest:\n\nx = 1', '\n\nHere'],
  ])('is whole at a cut within %s', (_, before, continuation, heldBack) => {
    for (const pieces of PIECES)
      expect(joined(before, continuation, heldBack, pieces)).toBe(before + continuation);
  });
});

describe('a continuation that begins again', () => {
  test.each(['prose', 'chinese'] as const)('is whole at every cut of %s', (name) => {
    const text = ORDINARY_TEXTS[name];
    for (const lead of ['', '\n', PREAMBLES[0]]) {
      const all = joinedAtCuts(text, () => lead + text);
      expect(all.filter(({ whole }) => whole !== text)).toEqual([]);
    }
  });

  test('is whole if it is as long as a book, and refused where the book repeats itself', () => {
    const text = Array.from({ length: 400 }, (_, line) => `${line}: ${line ** 3 % 977}`).join('\n');
    const { told, heldBack } = toldUntil(text, 3000);
    expect(joined(told, text, heldBack, [11])).toBe(text);
    const pattern = 'ab'.repeat(50_000);
    expect(joined(pattern, `${pattern}!`, '', [64])).toBeUndefined();
  });

  test('is whole or refused in any text', () => {
    for (const text of Object.values({ ...PERIODIC_TEXTS, ...CODE_TEXTS, ...ORDINARY_TEXTS }))
      for (const lead of ['', '\n', PREAMBLES[0]]) {
        const wrong = joinedAtCuts(text, () => lead + text);
        expect(wrong.filter(({ whole = text }) => whole !== text)).toEqual([]);
      }
  });

  test('is refused if it is written in other words', () => {
    const before = 'A breaker counts failures. It opens when too many of them';
    const stitcher = createContinuationStitcher(before, { heldBack: ' come' });
    expect(stitcher.add('A breaker counts failures. It opens when a limit')).toBe('');
    expect(stitcher.add(' is reached.') + stitcher.end()).toBe('');
    expect(stitcher.refused).toBeDefined();
    const said = `A breaker counts failures. It opens when a limit ${'is reached, or '.repeat(30)}so.`;
    expect(joined(before, said, ' come')).toBeUndefined();
  });
});

test.each([
  ...PREAMBLES,
  'Sure! ',
  'Certainly! Here is the rest:\n\n',
  'Continuing...\n',
  '(continued)\n',
  '[continued] ',
  '**Continuing from where I stopped:**\n\n',
  'Voici la suite :\n\n',
  'Aquí está el resto:\n',
  '好的，以下是剩余的内容：\n',
  '続きは以下の通りです：\n',
  'Продолжаю с того места, где остановился:\n\n',
  'Sorry for the interruption, I got cut off. ',
])('the preamble %j is removed', (preamble) => {
  const before = 'The quick brown fox jumps over the';
  const whole = `${before} lazy dog.`;
  expect(joined(before, `${preamble} lazy dog.`, ' lazy')).toBe(whole);
  expect(joined(before, `${preamble}${whole}`, ' lazy')).toBe(whole);
});

test.each([
  ['a note that is no preamble', '[continued] (\n  find(it);\n', "test('x', () => expect", '(\n  '],
  ['words of a speaker', 'Assistant: one, or the', 'It is shown once, to one', ' or'],
  ['a tag', '<answer>so that nothing is lost', 'It waits, so that', ' nothing'],
  [
    'a sentence that begins like the end of the text',
    'The rest is this.\n\n log.',
    'It has the',
    ' audit',
  ],
  ['a sentence after agreement', 'Of course. I will continue.\n\n{', 'call({ a }, {', ' branch'],
  [
    'another form of a long repetition',
    `It\r\n${'waits, and\r\n'.repeat(9)}`,
    `${'It waits\n'.repeat(2)}It`,
    '\nwaits',
  ],
])('nothing is doubled or lost after %s', (_, said, before, heldBack) => {
  const whole = joined(before, said, heldBack);
  expect(whole === undefined || whole.endsWith(said.slice(-6))).toBe(true);
  expect(whole ?? '').not.toContain(said);
});

describe('a stitcher', () => {
  test('emits an exact continuation as soon as it has said the word that was held back', () => {
    const stitcher = createContinuationStitcher('The quick brown', { heldBack: ' fox' });
    expect(stitcher.add(' fox ju')).toBe(' fox ju');
    expect(stitcher.add('mps')).toBe('mps');
    expect(stitcher.end()).toBe('');
  });

  test('holds back less than 700 characters', () => {
    const before = 'ab'.repeat(5000);
    const stitcher = createContinuationStitcher(`# Start\n${before}!`, { heldBack: '' });
    let heldChars = 0;
    for (let turn = 0; turn < 1000 && !stitcher.refused; turn++) {
      heldChars += 1 - stitcher.add(before.charAt(turn)).length;
      expect(heldChars).toBeLessThan(700);
    }
  });

  test('does not take half a character that was cut off for a repetition of a whole one', () => {
    const before = 'the party 🎉'.slice(0, -1);
    const whole = joined(before, 'the party 🎉 continues', '');
    expect([undefined, `${before}the party 🎉 continues`]).toContain(whole);
  });
});
