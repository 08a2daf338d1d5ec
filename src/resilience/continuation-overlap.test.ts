import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOverlapTrimmer, createPrefixHold, isRecognisable } from './continuation-overlap.ts';

describe('createOverlapTrimmer', () => {
  const SAMPLES = {
    prose: 'The quick brown fox jumps over a lazy dog, while seven wizards boxed up quartz vases.',
    chinese:
      '熔断器在连续失败之后打开，冷却一段时间，然后只放行一个探测请求；如果成功就重新关闭，否则再等更久。',
    emoji: 'Done 🎉🚀 next 👩‍👩‍👧 family, flags 🇦🇺🇩🇪 and 𝒜𝒷𝒸 letters 😀😃😄😁 to the very end 🏁.',
    code: 'function add(a, b) {\n    if (a === 0) {\n        return b;\n    }\n    return a + b;\n}\n',
  } as const;

  /** The new text, given in pieces of these lengths, over and over. */
  function join(before: string, continuation: string, lengths: readonly number[]): string {
    const stitcher = createOverlapTrimmer(before);
    let out = '';
    let at = 0;
    for (let turn = 0; at < continuation.length; turn++) {
      const length = Math.max(1, lengths[turn % lengths.length] ?? 1);
      out += stitcher.add(continuation.slice(at, at + length));
      at += length;
    }
    return out + stitcher.end();
  }

  /** A character of Chinese, Japanese or Korean says as much as two letters. */
  function weightOf(text: string): number {
    return text
      .split('')
      .reduce((sum, unit) => sum + (unit > '\u2e7f' && unit < '\ud800' ? 2 : 1), 0);
  }

  /** More than a blank. */
  const isSign = (unit: string) => unit.trim() !== '';

  /** Where code points begin, so that cuts do not split them. */
  function boundaries(text: string): number[] {
    const found = [0];
    for (const point of text) found.push((found.at(-1) ?? 0) + point.length);
    return found;
  }

  /** The same by brute force: every end, every beginning. */
  function expected(before: string, continuation: string): string {
    const says = (text: string) => text.trim() !== '' && new Set(text).size > 1;
    const splits = (at: number) =>
      /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(continuation.slice(at - 1, at + 1));
    const blanks = continuation.length - continuation.trimStart().length;
    const isPattern = (end: string) =>
      Array.from({ length: end.length }, (_, shift) =>
        before.slice(0, before.length - shift - 1),
      ).some((earlier) => earlier.endsWith(end));
    let cut = 0;
    for (const skipped of [0, blanks]) {
      let most = skipped;
      for (let to = skipped + 1; to <= Math.min(400, continuation.length); to++)
        if (before.endsWith(continuation.slice(skipped, to)) && !splits(to)) most = to;
      const overlap = continuation.slice(skipped, most);
      const isWhole = overlap === before.trimStart();
      const isAsGoodAsWords = isWhole && new Set(Array.from(overlap).filter(isSign)).size >= 3;
      const least =
        /\p{L}/u.test(overlap) || isAsGoodAsWords ? (isWhole ? 4 : 8) : isWhole ? 12 : 16;
      if (weightOf(overlap) >= least && says(overlap) && !isPattern(overlap))
        cut = Math.max(cut, most);
    }
    const head = before.trimStart().slice(0, 40);
    const goesOnThatWay = before.slice(-80).includes(head) && isPattern(before.slice(-40));
    const whole = before.trimStart();
    let known = 0;
    while (known < whole.length && whole[known] === continuation[blanks + known]) known += 1;
    const isVaried = head.trim() !== '' && new Set(head).size > 1;
    if (known >= 40 && isVaried && !goesOnThatWay) cut = Math.max(cut, blanks + known);
    return continuation.slice(splits(cut) ? cut - 1 : cut);
  }

  /** Repetitions that can be distinguished from chance, at every cut. */
  function* repetitions(text: string) {
    for (const cut of boundaries(text))
      for (const from of boundaries(text.slice(0, cut))) {
        const overlap = text.slice(from, cut);
        if (weightOf(overlap) < 8 || !/\p{L}/u.test(overlap)) continue;
        yield { before: text.slice(0, cut), overlap, continuation: text.slice(from) };
      }
  }

  test.each(Object.entries(SAMPLES))(
    'at every cut of %s the repeated end is emitted once, however much is repeated',
    (_, text) => {
      const wrong: unknown[] = [];
      for (const { before, overlap, continuation } of repetitions(text)) {
        if (before + join(before, continuation, [9]) !== text) wrong.push({ before, overlap });
        if (weightOf(overlap.trimStart()) < 8) continue;
        if (before + join(before, ` \n${continuation}`, [40]) !== text)
          wrong.push({ before, overlap });
      }
      expect(wrong).toEqual([]);
    },
  );

  test.each(Object.entries(SAMPLES))(
    'at every cut of %s what goes on without repetition is whole',
    (_, text) => {
      const whole = boundaries(text).map((cut) => {
        const before = text.slice(0, cut);
        return before + join(before, text.slice(cut), [1]);
      });
      expect(new Set(whole)).toEqual(new Set([text]));
    },
  );

  test('a restarted long answer continues where it was cut, however long it is', () => {
    const text = Array.from({ length: 400 }, (_, line) => `${line}: ${line ** 3 % 977}`).join('\n');
    const before = text.slice(0, 3000);
    expect(before + join(before, text, [11])).toBe(text);
    expect(before + join(`\n${before}`, text, [5000])).toBe(text);
  });

  test('a restarted answer in other words continues where it differs', () => {
    const before = 'A breaker stands before each model and counts its failures. It opens when';
    const other = 'A breaker stands before each model and counts every failure of it.';
    expect(join(before, other, [5])).toBe('every failure of it.');
  });

  test('a start that is similar by chance is kept', () => {
    const before = SAMPLES.prose;
    const other = `${before.slice(0, 39)}##`;
    expect(join(before, other, [4])).toBe(other);
    expect(join(before, `${before.slice(0, 40)}##`, [4])).toBe('##');
  });

  test.each([
    ['an indentation', 'if (a) {\n        ', '        return b;'],
    ['a number', 'They paid 1000000', '00000 dollars'],
    ['a ruled line', 'Title\n--------', '--------\n'],
    ['a row of one emoji', 'Yes 🎉🎉🎉', '🎉🎉🎉!'],
  ])('a cut within %s loses nothing', (_, before, continuation) => {
    expect(join(before, continuation, [1])).toBe(continuation);
  });

  test.each([
    ['a list of numbers', '1, 2', '1, 2, 3', ', 3'],
    ['a price', '$100', '\n$100 a day', ' a day'],
    ['a bracket within a bracket', '[\n  ', '[\n    1,', '[\n    1,'],
    ['a row of a table', '|  |', '|  | 1 |', '|  | 1 |'],
    ['a list of zeros', '0, 0, ', '0, 0, 0', '0, 0, 0'],
  ])('a short beginning without a word: %s', (_, before, continuation, rest) => {
    expect(join(before, continuation, [1])).toBe(rest);
  });

  test('a repetitive text may continue its pattern, and loses nothing', () => {
    expect(join('xxababab', 'ababcd', [2])).toBe('ababcd');
    const row = '| 0 | 0 | 0 |\n';
    expect(join(row.repeat(9), row.repeat(3), [5])).toBe(row.repeat(3));
    const words = 'one two three four ';
    expect(join(words.repeat(40), words.repeat(5), [7])).toBe(words.repeat(5));
  });

  test('text that cannot be a repetition is emitted at once', () => {
    const stitcher = createOverlapTrimmer('The quick brown fox');
    expect(stitcher.add('#')).toBe('#');
    expect(stitcher.add(' The quick')).toBe(' The quick');
    expect(stitcher.end()).toBe('');
  });

  test('less than 400 characters are ever held back', () => {
    const before = 'ab'.repeat(5000);
    const stitcher = createOverlapTrimmer(`# Start\n${before}!`);
    let given = 0;
    let emitted = 0;
    for (let turn = 0; turn < 1000; turn++) {
      given += 1;
      emitted += stitcher.add(before.charAt(turn)).length;
      expect(given - emitted).toBeLessThan(400);
    }
  });

  test('half a character that was cut off is not taken for a repetition of a whole one', () => {
    const before = 'the party 🎉'.slice(0, -1);
    expect(join(before, 'the party 🎉 goes on', [1])).toBe('the party 🎉 goes on');
    const long = 'It was the best of times, it was the worst of times: 🎉';
    const other = `${long.slice(0, -2)}🎈 and so on`;
    for (const length of [1, 2, 3, 100]) {
      expect(join(long, other, [length])).toBe('🎈 and so on');
      const lead = SAMPLES.prose.repeat(5);
      expect(join(lead + long, lead + other, [length])).toBe('🎈 and so on');
    }
  });

  test('for any cut and any pieces of the continuation, only repetitions are dropped', () => {
    const word = fc.constantFrom(
      'a',
      'b',
      'ab',
      ' ',
      '\n',
      '  ',
      '🎉',
      '🎈',
      '熔断',
      'the ',
      '0',
      ',',
    );
    const text = fc.array(word, { maxLength: 60, size: 'max' }).map((words) => words.join(''));
    const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });
    const from = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(text, text, text, from, lengths, (first, second, rest, share, pieces) => {
        const before = first.repeat(1 + Math.floor(share * 12)) + second;
        const repeated = before.slice(Math.floor(before.length * share));
        for (const continuation of [rest, repeated + rest, ` ${repeated}${rest}`, before + rest])
          expect(join(before, continuation, pieces)).toBe(expected(before, continuation));
      }),
      { numRuns: 200 },
    );
  });

  test('megabytes of one pattern are joined in one go and in small pieces', () => {
    const pattern = 'ab'.repeat(500_000);
    const before = `${pattern}, and that was all of it`;
    expect(join(before, `${before}!`, [10_000_000])).toBe('!');
    expect(join(before, `${before}!`, [64])).toBe('!');
    expect(join(pattern, `${pattern}!`, [64])).toHaveLength(1_000_001);
    expect(join(' '.repeat(1_000_000), ' '.repeat(1_000_000), [64])).toHaveLength(1_000_000);
  });
});

describe('createPrefixHold', () => {
  /** What is let out at each of these pieces, and at the end. */
  function emitted(...pieces: readonly string[]): readonly string[] {
    const hold = createPrefixHold();
    const out = pieces.map((piece) => hold.add(piece));
    return [...out, hold.end()];
  }

  test.each([
    ['a word', ['Sure', ','], ['Sure', ',', '']],
    ['one letter after the other', ['I', ' a', 'm', ' K'], ['', '', 'I am', ' K', '']],
    ['two characters of Chinese', ['熔', '断', '器'], ['', '熔断', '器', '']],
    ['a sign before a word', ['## ', 'Title'], ['', '## Title', '']],
    ['blanks', ['\n\n', ' ', 'Yes', '.'], ['', '', '', '\n\n Yes.', '']],
    ['a list of numbers', ['1', ',', ' ', '2', ','], ['', '', '', '1, 2', ',', '']],
    ['a list of zeros', ['0, 0', ', 0', ', 0, 0', ', 0'], ['', '', '0, 0, 0, 0, 0', ', 0', '']],
    ['one sign over and over', ['----', '----', '\n', 'End'], ['', '', '', '--------\nEnd', '']],
    ['what is over before that', ['4', '2'], ['', '', '42']],
    ['nothing', [], ['']],
  ])('of %s nothing is emitted before it could be recognised', (_, pieces, expected) => {
    expect(emitted(...pieces)).toEqual(expected);
  });

  test('a run of blanks is not held forever', () => {
    const hold = createPrefixHold();
    let heldChars = 0;
    for (let turn = 0; turn < 1000; turn++) {
      heldChars = hold.add('  ') === '' ? heldChars + 2 : 0;
      expect(heldChars).toBeLessThan(400);
    }
  });

  test('half a surrogate pair is not emitted', () => {
    const [first = '', second = ''] = '🎉'.split('');
    expect(emitted(`Done ${first}`, second)).toEqual(['', 'Done 🎉', '']);
  });

  test('any text is emitted completely, and a restart is recognised by what was emitted', () => {
    const piece = fc.constantFrom(
      'a',
      'ab',
      ' ',
      '\n',
      '0',
      ', ',
      '-',
      '🎉',
      '\ud83c',
      '熔',
      'the',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30, size: 'max' }), fc.string(), (pieces, rest) => {
        const out = emitted(...pieces);
        expect(out.join('')).toBe(pieces.join(''));
        const first = out.slice(0, -1).find((text) => text !== '') ?? '';
        if (first === '') return;
        expect(isRecognisable(first)).toBe(true);
        const stitcher = createOverlapTrimmer(first);
        const again = `.${rest}`;
        expect(stitcher.add(first + again) + stitcher.end()).toBe(again);
      }),
      { numRuns: 300 },
    );
  });
});
