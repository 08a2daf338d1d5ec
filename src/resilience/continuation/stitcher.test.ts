import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampled } from '../../../test/thorough.ts';
import { anchorOf } from './anchor.ts';
import { isPeriodic } from './overlap.ts';
import { createContinuationStitcher, type ContinuationOptions } from './stitcher.ts';
import {
  CODE_TEXTS,
  cutsOf,
  DOUBLED_TEXTS,
  joined,
  ORDINARY_TEXTS,
  PERIODIC_TEXTS,
  PREAMBLES,
  WAYS,
} from './ways.fixture.ts';

const ALL_TEXTS = [...Object.entries(PERIODIC_TEXTS), ...Object.entries(ORDINARY_TEXTS)];
const PIECES = [[1], [7], [3, 40], [1000]] as const;
/** A text is emitted only when its start can be recognised, and it has at least this length. */
const SHORTEST = 12;
/** Shorter texts are cut everywhere, longer ones at every second position. */
const EVERY_CUT_CHARS = 300;

const instructed = (before: string) => [{}, { anchor: anchorOf(before) }];
const prefixed = () => [{ how: 'prefix' }] as const;

/** Cuts at which the text is not whole afterwards, with what was made of it. */
function wrongCuts(
  text: string,
  way: keyof typeof WAYS,
  isMeant: (cut: number) => boolean = () => true,
  optionsFor: (before: string) => readonly ContinuationOptions[] = instructed,
): readonly unknown[] {
  const wrong: unknown[] = [];
  const cuts = text.length < EVERY_CUT_CHARS ? cutsOf(text) : sampled(cutsOf(text), 2);
  for (const [index, cut] of cuts.entries()) {
    if (!isMeant(cut)) continue;
    const before = text.slice(0, cut);
    const pieces = PIECES[index % PIECES.length] ?? [1];
    for (const options of optionsFor(before)) {
      const whole = joined(before, WAYS[way]?.(text, cut) ?? '', pieces, options);
      if (whole !== text)
        wrong.push({ cut, pieces, end: before.slice(-20), got: whole.slice(cut) });
    }
  }
  return wrong;
}

describe('a continuation loses nothing', () => {
  test.each(ALL_TEXTS)('at every cut of %s, if it is exact', (_, text) => {
    expect(wrongCuts(text, 'exactly')).toEqual([]);
  });

  test.each(Object.entries(CODE_TEXTS))('at every cut of %s, if it is exact', (_, text) => {
    expect(wrongCuts(text, 'exactly')).toEqual([]);
  });

  test.each([...ALL_TEXTS, ...Object.entries({ ...CODE_TEXTS, ...DOUBLED_TEXTS })])(
    'at every cut of %s, if the vendor continues it',
    (_, text) => {
      expect(wrongCuts(text, 'exactly', () => true, prefixed)).toEqual([]);
    },
  );

  test('of any pattern that is repeated, at every cut', () => {
    const word = fc.constantFrom('xy', 'q ', 'mn', '\n- ', '🎉', '熔断', 'the ', '0', ', ', '| ');
    const part = fc
      .uniqueArray(word, { minLength: 1, maxLength: 9 })
      .map((words) => words.join(''));
    const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(part, fc.integer({ min: 3, max: 9 }), lengths, (pattern, times, pieces) => {
        const text = pattern.repeat(times);
        for (const cut of cutsOf(text)) {
          const before = text.slice(0, cut);
          expect(joined(before, text.slice(cut), pieces, { anchor: anchorOf(before) })).toBe(text);
        }
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['an indentation', 'if (a) {\n        ', '        return b;'],
    ['a number', 'They paid 1000000', '00000 dollars'],
    ['a ruled line', 'Title\n--------', '--------\n'],
    ['a row of one emoji', 'Yes 🎉🎉🎉', '🎉🎉🎉!'],
    ['a name', 'They listened to Duran ', 'Duran and danced'],
    ['a word that is doubled on purpose', 'It was a very ', 'very long day'],
    ['a verb of French', 'Alors nous ', 'nous sommes vus'],
    ['a phrase that is said three times', 'It became more and ', 'more and more complex'],
    [
      'lines of a log',
      '2026-01-01 INFO the server has started, worker 1\n',
      '2026-01-01 INFO the server has started, worker 2\n',
    ],
    [
      'a sentence about the rest',
      'That was the first part.\n\n',
      'Here is the rest of the code:\n\nx = 1',
    ],
    [
      'a part that returns',
      `${'la '.repeat(3)}And here comes the verse of this song.\n`,
      'la la la And here comes',
    ],
    ['a list of numbers that is short', '0, 0, ', '0, 0, 0'],
  ])('at a cut within %s', (_, before, continuation) => {
    for (const pieces of PIECES)
      expect(joined(before, continuation, pieces)).toBe(before + continuation);
  });
});

describe('a continuation repeats nothing', () => {
  const TEXTS = Object.entries(ORDINARY_TEXTS);
  const repeated = (chars: number) => (cut: number) => cut >= Math.max(SHORTEST, chars);

  test.each(TEXTS)('of %s that is begun again', (_, text) => {
    const isMeant = (cut: number) => cut >= 20;
    expect(wrongCuts(text, 'anew', isMeant)).toEqual([]);
    expect(wrongCuts(text, 'after a line break, anew', isMeant)).toEqual([]);
    expect(wrongCuts(text, 'after a preamble, anew', isMeant)).toEqual([]);
  });

  test.each(TEXTS)('of %s of which the last 30 characters are said again', (_, text) => {
    const isMeant = (cut: number) => repeated(40)(cut) && !isPeriodic(text.slice(cut - 30, cut));
    expect(wrongCuts(text, 'with its last 30 characters', isMeant)).toEqual([]);
  });

  test.each([...TEXTS, ...Object.entries(PERIODIC_TEXTS).filter(([name]) => name !== 'blanks')])(
    'of %s where the anchor is repeated, as it was asked for',
    (_, text) => {
      const wrong: unknown[] = [];
      for (const cut of cutsOf(text)) {
        const before = text.slice(0, cut);
        const anchor = anchorOf(before);
        if (anchor === undefined) continue;
        const said = text.slice(before.trimEnd().length - anchor.length);
        const whole = joined(before, said, [5], { anchor });
        if (whole !== text) wrong.push({ anchor, got: whole.slice(cut) });
      }
      expect(wrong).toEqual([]);
    },
  );

  const isAfterWord = (text: string) => (cut: number) =>
    /[\p{L},;]$/u.test(text.slice(0, cut)) && text.charAt(cut) === ' ';

  test('of prose of which the last word is said again, with or without its space', () => {
    const text =
      'Every breaker stands between the client and a service which may fail, and it counts failures.';
    const wrong: unknown[] = [];
    for (const cut of cutsOf(text)) {
      const before = text.slice(0, cut);
      const rest = text.slice(cut);
      if (!/^\P{L}/u.test(rest) && !before.endsWith(' ')) continue;
      const [word = ''] = /\p{L}+ ?$/u.exec(before) ?? [];
      const lead = word === '' || word.endsWith(' ') ? '' : ' ';
      for (const again of [word, lead + word])
        if (joined(before, again + rest, [3]) !== text) wrong.push({ before, again });
    }
    expect(wrong).toEqual([]);
  });

  test('of prose that continues after a line break between two words', () => {
    const { prose } = ORDINARY_TEXTS;
    const first = prose.slice(0, prose.indexOf('\n'));
    const isMeant = (cut: number) => cut > 20 && isAfterWord(first)(cut);
    expect(wrongCuts(first, 'after a line break', isMeant)).toEqual([]);
  });

  test.each(PREAMBLES)('after the preamble %j', (preamble) => {
    for (const text of [ORDINARY_TEXTS.chinese, ORDINARY_TEXTS.numbers, ORDINARY_TEXTS.emoji])
      expect(wrongCuts(text, `after ${JSON.stringify(preamble)}`)).toEqual([]);
  });

  test.each([
    'Sure! ',
    'Certainly! Here is the rest:\n\n',
    'Continuing...\n',
    '(continued)\n',
    '**Continuing from where I stopped:**\n\n',
    'Voici la suite :\n\n',
    'Aquí está el resto:\n',
    '好的，以下是剩余的内容：\n',
    '続きは以下の通りです：\n',
    'Продолжаю с того места, где остановился:\n\n',
    'Sorry for the interruption, I got cut off. ',
  ])('within a sentence, after %j', (preamble) => {
    const before = 'The quick brown fox jumps over the';
    expect(joined(before, `${preamble} lazy dog.`, [4])).toBe(`${before} lazy dog.`);
    expect(joined(before, `${preamble}${before} lazy dog.`, [4])).toBe(`${before} lazy dog.`);
  });

  test('of prose of which the last 16 to 30 characters are said again, also from within a word', () => {
    const text =
      'A circuit breaker stands between a client and a service that may fail and it counts failures within a short time so that neither side waits';
    const wrong: unknown[] = [];
    for (const cut of cutsOf(text).filter((each) => each > 40))
      for (let chars = 16; chars <= 30; chars++)
        for (const how of ['instructed', 'prefix'] as const) {
          const before = text.slice(0, cut);
          // White space weighs little.
          const isLight = before.slice(-chars).replaceAll(' ', '').length < 16;
          if (isLight || joined(before, text.slice(cut - chars), [4], { how }) === text) continue;
          wrong.push({ cut, chars, how });
        }
    expect(wrong).toEqual([]);
  });

  test('of prose that is said again from a word on, if the model was asked to continue', () => {
    const before = 'After a cool-down one probe is let through';
    const said = 'is let through, and then another.';
    const whole = 'After a cool-down one probe is let through, and then another.';
    expect(joined(before, said, [4])).toBe(whole);
    // A vendor that continues the text itself is trusted.
    expect(joined(before, said, [4], { how: 'prefix' })).toBe(before + said);
    expect(joined(before, `cool-down one probe ${said}`, [4], { how: 'prefix' })).toBe(whole);
  });

  test('of three lines of code, also if the vendor should have continued it', () => {
    const code = Array.from({ length: 9 }, (_, at) => `const value${at} = read(${at * 7});\n`);
    const before = code.slice(0, 6).join('');
    const said = code.slice(2).join('');
    expect(joined(before, said, [9], { how: 'prefix' })).toBe(code.join(''));
  });

  test('also if it is as long as a book', () => {
    const text = Array.from({ length: 400 }, (_, line) => `${line}: ${line ** 3 % 977}`).join('\n');
    const before = text.slice(0, 3000);
    expect(joined(before, text, [11])).toBe(text);
    expect(joined(`${before}\n\n`, text.slice(0, 3000), [11])).toBe(`${before}\n\n`);
    const pattern = 'ab'.repeat(500_000);
    expect(joined(pattern, `${pattern}!`, [64])).toHaveLength(2_000_001);
  });
});

describe('a pattern that is begun again', () => {
  const PATTERNS = {
    'a sentence': 'The daemon checks each request, and then it asks a model. ',
    'rows of a table': '| 0 | 0 | 0 |\n',
    'lines of code': 'for (const a of b) {\n  count += a;\n}\n',
    'a Chinese sentence': '熔断器在连续失败之后打开，冷却一段时间。',
  };
  const STARTS = { 'its first character': '', 'a line break': '\n', 'a preamble': PREAMBLES[0] };

  test.each(
    Object.entries(PATTERNS).flatMap(([name, pattern]) =>
      Object.entries(STARTS).map(([start, lead]) => ({ name, pattern, start, lead })),
    ),
  )('is joined whole or refused: $name, from $start', ({ pattern, lead }) => {
    const text = pattern.repeat(8);
    const wrong: unknown[] = [];
    for (const cut of cutsOf(text)) {
      const before = text.slice(0, cut);
      const phase = before.trimEnd().length % pattern.length;
      // Within the first period, and close to the end of one, nothing shows what it is.
      if (cut < pattern.length || phase < 4 || phase > pattern.trimEnd().length - 4) continue;
      for (const how of ['instructed', 'prefix'] as const) {
        const stitcher = createContinuationStitcher(before, { how });
        const whole = before + stitcher.add(lead + text) + stitcher.end();
        if (whole !== text && !(stitcher.refused !== undefined && whole === before))
          wrong.push({ cut, how, got: whole.slice(cut) });
      }
    }
    expect(wrong).toEqual([]);
  });

  test('is refused in any pieces, and its exact continuation is not', () => {
    const text = PATTERNS['a sentence'].repeat(8);
    const before = text.slice(0, 77);
    for (const length of [1, 7, 40, 1000]) {
      expect(joined(before, text, [length])).toBe(before);
      expect(joined(before, text.slice(77), [length])).toBe(text);
    }
  });
});

describe('a stitcher', () => {
  test('emits nothing of an answer that is written again in other words', () => {
    const before = 'A breaker counts failures. It opens when too many of them come';
    const stitcher = createContinuationStitcher(before);
    expect(stitcher.add('A breaker counts failures. It opens when a limit')).toBe('');
    expect(stitcher.add(' is reached.') + stitcher.end()).toBe('');
    expect(stitcher.refused).toBe('rewritten');
  });

  test('emits text that cannot be a repetition at once', () => {
    const stitcher = createContinuationStitcher('The quick brown fox');
    expect(stitcher.add('#')).toBe('#');
    expect(stitcher.add(' The quick')).toBe(' The quick');
    expect(stitcher.end()).toBe('');
  });

  test('holds back less than 700 characters', () => {
    const before = 'ab'.repeat(5000);
    const stitcher = createContinuationStitcher(`# Start\n${before}!`);
    let heldChars = 0;
    for (let turn = 0; turn < 1000; turn++) {
      heldChars += 1 - stitcher.add(before.charAt(turn)).length;
      expect(heldChars).toBeLessThan(700);
    }
  });

  test('does not take half a character that was cut off for a repetition of a whole one', () => {
    const before = 'the party 🎉'.slice(0, -1);
    const stitcher = createContinuationStitcher(before);
    expect(stitcher.add('the party 🎉 continues') + stitcher.end()).toBe('the party 🎉 continues');
  });
});
