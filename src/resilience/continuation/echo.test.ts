import { expect, test } from 'vitest';
import { createContinuationStitcher } from './stitcher.ts';

/** What is emitted of a continuation; undefined if none of it is used. */
function emitted(before: string, continuation: string, heldBack: string): string | undefined {
  const stitcher = createContinuationStitcher(before, { heldBack });
  let got = '';
  for (const piece of continuation.match(/.{1,5}/gsu) ?? []) got += stitcher.add(piece);
  got += stitcher.end();
  return stitcher.refused ? undefined : got;
}

const BEFORE = 'It counts failures, and when too many of them come it';
const REST = ' opens: every request is refused at once.';

test.each([
  '...too many of them come it',
  '… them come it',
  '— them come it',
  '"them come it"',
  '「them come it」',
  '**them come it**',
  '- them come it',
  '\u200Bthem come it',
  'Them come it',
  '...',
])('the last words are found after marks, or in another form: %j', (said) => {
  expect(emitted(BEFORE, said + REST, ' opens')).toBe(REST);
});

test.each([
  ['another sentence', `As you asked, what is missing follows.\n\nthem come it${REST}`],
  ['another sentence and all of the text', `As you asked, once more:\n\n${BEFORE}${REST}`],
  ['the question', `How does it work?\n\nmany of them come it${REST}`],
  ['dots, and continues with other words', '...and then it stops.'],
])('a continuation is refused that begins with %s', (_, said) => {
  expect(emitted(BEFORE, said, ' opens')).toBeUndefined();
});

test('a continuation with other words is used, as it repeats nothing', () => {
  expect(emitted(BEFORE, ' refuses every request at once.', ' opens')).toBe(
    ' refuses every request at once.',
  );
});

test('an echo with other line ends is refused where it begins with the held words', () => {
  const rows = Array.from({ length: 6 }, (_, at) => `Step ${at}: check the value and go on.\n`);
  const told = `${rows.join('')}Step 6: check the`;
  const said = told.slice(told.lastIndexOf(' value', told.length - 60)).replaceAll('\n', '\r\n');
  expect(emitted(told, `${said} value and go on.\n`, ' value')).toBeUndefined();
});
