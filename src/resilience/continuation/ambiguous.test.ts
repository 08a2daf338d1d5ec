import { expect, test } from 'vitest';
import { anchorOf } from './anchor.ts';
import { createContinuationStitcher } from './stitcher.ts';

/** What is emitted of a continuation; undefined if none of it is used. */
function emitted(
  before: string,
  continuation: string,
  heldBack: string,
  { anchor, piece = 5 }: { readonly anchor?: string | undefined; readonly piece?: number } = {},
): string | undefined {
  const stitcher = createContinuationStitcher(before, { heldBack, anchor });
  let got = '';
  for (let at = 0; at < continuation.length; at += piece)
    got += stitcher.add(continuation.slice(at, at + piece));
  got += stitcher.end();
  return stitcher.refused ? undefined : got;
}

test.each([
  ['the last letters of a first piece', 'A cir', 'circuit breaker', ''],
  ['one letter of it', 'A cir', 'rcuit breaker', ''],
  ['one letter of it after an added line break', '[req_0015mx', '\nxvvxmpxm#2] t1', ''],
  ['a preamble before a word or a part of one', 'Ein Sch', 'Here is the rest: utzschalter', ''],
  ['other words after the last word', '- The key is', ' is in a file', ' kept'],
  ['a Chinese character', '每个模型都', '都会', '有一'],
  ['a comma', '，每个模型都有一个，', '，也有一个', '账户'],
  ['a word that begins like the next one', 'is longer than', ' than the last', ' th'],
  ['a sign', 'f(g(x)', ').y', '))'],
  ['a cell of a table', '| model 0 |', ' | tokens |', ' 0'],
  ['a word that is said twice', 'docker exec exai', ' exai exai keys', ' exa'],
  ['a heading', 'usage.\n\n## Token counts', ' Token counts\n\nTokens are', '\n\nToken'],
  ['the same letters', 'keys with', 'th providers', ' th'],
  ['a phrase that the text said before', 'the end of the end of', ' the end of text', ' th'],
  ['a preamble', 'prints it one time.', 'Continuing from where I left off:\n\nthat change', ' Co'],
  ['a phrase that the text says again', '(a: number, b:', ' number, b: number)', ' number'],
])('none of a continuation is used that may repeat %s', (_, before, continuation, heldBack) => {
  expect(emitted(before, continuation, heldBack)).toBeUndefined();
});

test.each([
  ['a word in its first piece', 'Ein Sch', 'utzschalter', '', 'utzschalter'],
  ['the word after a first piece', 'The steps', ' are:', '', ' are:'],
  ['with a space too many', 'Ein ', ' Schutz', '', 'Schutz'],
  ['with a word that begins like its end', 'The steps', ' so far', '', ' so far'],
  ['with a line that begins with another letter', '# Steps', '\n\nThe first', '', '\n\nThe first'],
  ['with another space after a first piece', 'The steps', '\nare:', ' ', ' are:'],
  ['with the end of a first piece', 'The steps', 'teps are:', ' ', ' are:'],
  ['with the end of the last word', 'It counts', 'nts all failures', ' failures', ' all failures'],
  ['with other words that begin alike', 'between a', ' and', ' client', ' and'],
])('a continuation is used that goes on %s', (_, before, continuation, heldBack, expected) => {
  expect(emitted(before, continuation, heldBack)).toBe(expected);
});

const ROWS = '| 0 | 0 | 0 |\n'.repeat(4);

test('of equal rows a continuation is refused that may repeat some, or is out of step', () => {
  const rest = ' 0 | 0 |\n| 0 | 0 | 0 |\n| 0 | 0 | 0 |\n';
  expect(emitted(`${ROWS}| 0 |`, rest, ' 0 |')).toBeUndefined();
  expect(emitted(`${ROWS}| 0 |`, ` 0 |${rest}`, ' 0 |')).toBeUndefined();
  expect(emitted(`${ROWS}| 0 |`, ' 0 | 0 |', ' 0 | 0')).toBe(' 0 | 0 |');
});

test('a preamble before the last rows of a table is removed', () => {
  const rest = '\n| 0 | 0 | 0 |';
  const said = `Continuing from where I left off:\n\n${rest}`;
  expect(emitted(`${ROWS}${ROWS.trimEnd()}`, said, '\n| 0 | 0')).toBe(rest);
});

const ANCHORED = `The empty rows are:\n${ROWS}`;

test('a repetition from before equal rows proves which of them are new', () => {
  const rest = ` 0 | 0 |\n${ROWS}`;
  const told = `${ANCHORED}| 0 |`;
  const anchor = anchorOf(told);
  expect(anchor).toBe(told.slice(told.indexOf('are')));
  for (const said of [told, anchor]) expect(emitted(told, `${said}${rest}`, ' 0 |')).toBe(rest);
  expect(emitted(told, rest, ' 0 |')).toBeUndefined();
});

test('the rest of the last of equal sentences is continued, as no whole one fits into it', () => {
  const told = `${'It counts each request, and then it ends. '.repeat(4)}It counts`;
  for (const rest of [' each request, and then it ends.', ' each request, but not the last one.'])
    expect(emitted(told, rest, ' each')).toBe(rest);
});

const TASKS = '- [ ] Write a test\n'.repeat(6);

test('an anchor proves nothing where the text has it twice, or goes on with its beginning', () => {
  const told = '- [ ] Write a test\n- [ ] Write a';
  const rest = TASKS.slice(told.length);
  const anchor = 'Write a test\n- [ ] Write a';
  // Its last words, and what follows them: the same as the anchor.
  expect(emitted(told, `Write a${rest}`, ' te', { anchor })).toBeUndefined();
  const more = TASKS + told;
  expect(emitted(more, `${anchor}${rest}`, ' te', { anchor })).toBeUndefined();
});

test('an anchor is chosen that the text has only once', () => {
  const steps = Array.from({ length: 3 }, (_, at) => `Step ${at}: check the value and go on.\n`);
  expect(anchorOf(`${steps.join('')}Step`)).toMatch(/^1: .*\nStep$/s);
});

const PARAGRAPH = Array.from({ length: 80 }, (_, at) => `w${at * 37} and`).join(' ');

test.each([399, 400, 401, 420, 600])(
  'a repetition of the last %i characters is removed, whatever the pieces',
  (chars) => {
    const told = `It begins here. ${PARAGRAPH}`;
    const rest = ' then it ends.';
    for (const piece of [1, 5, 64, 2000])
      expect(emitted(told, `${told.slice(-chars)}${rest}`, ' then', { piece })).toBe(rest);
  },
);

test('a continuation that stops within a long repetition is refused', () => {
  const told = `It begins here. ${PARAGRAPH}`;
  expect(emitted(told, told.slice(-600, -100), ' then')).toBeUndefined();
});
