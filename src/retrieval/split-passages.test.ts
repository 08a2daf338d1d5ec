import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import '../../test/property-seed.ts';
import { splitPassages } from './split-passages.ts';

const lines = (text: string) => [...splitPassages(text, 'lines')];

describe('passages', () => {
  test('end at paragraphs, and name their lines and the heading above', () => {
    const paragraph = Array.from({ length: 30 }, (_, at) => `Sentence number ${at} of a text.`);
    const text = [
      '# One',
      '',
      ...paragraph,
      '',
      ...paragraph,
      '',
      ...paragraph,
      '',
      '## Two',
      'End.',
    ];
    const found = lines(text.join('\n'));
    expect(found.map(({ place, heading }) => ({ ...place, heading }))).toEqual([
      { is: 'lines', from: 1, to: 94, heading: undefined },
      { is: 'lines', from: 96, to: 97, heading: undefined },
    ]);
  });

  test('do not cross pages, slides, sheets or sections', () => {
    const text =
      '<!-- page 1 -->\n\nOne.\n\n<!-- page 3 -->\n\nThree.\n\n<!-- sheet "Q1" -->\n\na | b';
    expect([...splitPassages(text, 'document')]).toEqual([
      { place: { is: 'page', number: 1 }, text: 'One.' },
      { place: { is: 'page', number: 3 }, text: 'Three.' },
      { place: { is: 'sheet', sheet: 'Q1' }, text: 'a | b' },
    ]);
  });

  test('of a document without pages are its lines', () => {
    expect([...splitPassages('One.\r\nTwo.', 'document')]).toEqual([
      { place: { is: 'lines', from: 1, to: 2 }, text: 'One.\nTwo.' },
    ]);
  });

  test('of a huge line are its pieces, each with the number of the line', () => {
    const found = lines(`first\n${'x'.repeat(100_000)}\nlast`);
    expect(found.every(({ text }) => text.length <= 6_400)).toBe(true);
    expect(found.at(-1)?.place).toEqual({ is: 'lines', from: 2, to: 3 });
    expect(found.at(1)?.place).toEqual({ is: 'lines', from: 2, to: 2 });
  });

  test('contain every word once, at its line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 300 }), { maxLength: 60 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (given, end) => {
          const text = given.join(end);
          const all = text.split(/\r\n|\n|\r/);
          const words = (one: string) => one.split(/\s+/).filter(Boolean);
          const found = lines(text);
          expect(found.flatMap((passage) => words(passage.text))).toEqual(words(text));
          for (const { place, text: passage } of found) {
            if (place.is !== 'lines') continue;
            const [first = ''] = passage.split('\n');
            expect(all[place.from - 1]).toContain(first.trim());
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
