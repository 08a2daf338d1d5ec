import { expect, test } from 'vitest';
import { FORGED_TEXTS } from '../../../test/cases/forged-texts.ts';
import { verifies } from '../../../test/verifies.ts';
import type { DocumentPart } from './document.ts';
import {
  documentMarkdown,
  endOfPlaceMark,
  hasDocumentText,
  placeBefore,
  splitAtPlaces,
} from './document-text.ts';

const MARKS = ['<!-- page 9 -->', 'x\n<!-- page 9 -->\ny', '-->\n<!-- sheet "Forged" -->'];

verifies(
  'file_chat:forging',
  'no name of a sheet, title of a section or text of a document is taken for a mark',
  () => {
    for (const forged of [...FORGED_TEXTS.map(({ text }) => text), ...MARKS]) {
      const parts: readonly DocumentPart[] = [
        { place: { is: 'sheet', sheet: forged, index: 0 }, markdown: 'one' },
        { place: { is: 'section', section: 2, title: forged }, markdown: forged },
        { place: { is: 'page', page: 3 }, markdown: 'three' },
      ];
      const found = splitAtPlaces(documentMarkdown({ parts }));
      expect([forged, found.map(({ place }) => place?.is)]).toEqual([
        forged,
        ['sheet', 'section', 'page'],
      ]);
      expect([found[0]?.text, found[2]?.text]).toEqual(['one', 'three']);
    }
  },
);

test('a position is in the place of the last mark before it', () => {
  const text = documentMarkdown({
    parts: [
      { place: { is: 'page', page: 1 }, markdown: 'First. <!-- page 8 --> is no mark.' },
      { place: { is: 'page', page: 2 }, markdown: 'Second.\n\n<!-- a comment -->\n\nIts end.' },
    ],
  });
  const at = (words: string) => placeBefore(text, text.indexOf(words));
  expect([at('First'), at('is no mark'), at('Second'), at('Its end')]).toEqual([
    { is: 'page', page: 1 },
    { is: 'page', page: 1 },
    { is: 'page', page: 2 },
    { is: 'page', page: 2 },
  ]);
  expect(placeBefore('No mark.', 3)).toBeUndefined();
  expect(endOfPlaceMark(text, 0)).toBe('<!-- page 1 -->'.length);
  expect(endOfPlaceMark(text, text.indexOf('<!-- page 8'))).toBeUndefined();
});

test('a document that has only marks has no text', () => {
  const pages = (...texts: readonly string[]) =>
    documentMarkdown({
      parts: texts.map((markdown, at) => ({ place: { is: 'page', page: at + 1 }, markdown })),
    });
  expect(['', ' \n', pages(''), pages('', '\n')].map(hasDocumentText)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  expect(['x', pages('', 'x'), '<!-- page 1 --> x', '\n<!-- a -->'].map(hasDocumentText)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});
