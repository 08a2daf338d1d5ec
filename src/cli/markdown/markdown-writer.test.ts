import { expect, test } from 'vitest';
import { ansi, noColor } from '../format/colors.ts';
import { createMarkdownWriter, formatAnswer, rendersMarkdown } from './markdown-writer.ts';

function written() {
  const texts: string[] = [];
  const held: string[] = [];
  const writer = createMarkdownWriter({
    output: { write: (text) => void texts.push(text) },
    io: { paint: ansi, charset: 'utf-8' },
    columns: () => 20,
    onHold: (what) => void held.push(what),
  });
  return { writer, texts, held, all: () => texts.join('') };
}

test('words are written as they come, and bold text when it ends', () => {
  const { writer, texts } = written();
  expect(writer.hasBegun).toBe(false);
  for (const text of ['one tw', 'o **th', 'ree** ']) writer.add(text);
  expect(writer.hasBegun).toBe(true);
  expect(texts).toEqual(['one', ' two', ' \u001B[1mthree\u001B[22m']);
  writer.finish('one two **three** four');
  writer.breakOff();
  expect(texts.at(-1)).toBe(' four\n');
});

test('an answer of which other pieces came is shown from its beginning', () => {
  const { writer, all } = written();
  writer.add('the end');
  writer.finish('the beginning and the end');
  expect(all()).toBe('the end\nthe beginning and\nthe end\n');
});

test('a table is held until it is complete', () => {
  const { writer, texts, held } = written();
  writer.add('| a | b |\n|---|---|\n| 1 |');
  writer.add(' 2 |\n');
  expect([texts, held.length > 0]).toEqual([[], true]);
  writer.finish('| a | b |\n|---|---|\n| 1 | 2 |\n');
  expect(texts).toHaveLength(1);
});

test('control characters are shown, however they are cut, and emoji stay whole', () => {
  const { writer, all } = written();
  const [high = '', low = ''] = '👩'.split('');
  for (const text of ['\u001B', '[31mred ', '👨', `\u200D${high}`, low]) writer.add(text);
  writer.finish('\u001B[31mred 👨\u200D👩');
  expect(all()).toBe(`${String.raw`\u{1b}[31mred`} 👨\u200D👩\n`);
});

test('an emoji in pieces is not broken over two lines, nor lost when the answer breaks off', () => {
  const { writer, all } = written();
  for (const text of ['a'.repeat(18), '👨', '\u200D', '👩', ' b 🦉']) writer.add(text);
  writer.breakOff();
  expect(all()).toBe(`${'a'.repeat(18)}👨\u200D👩\nb 🦉\n`);
});

test('Markdown is rendered on a terminal that can show it, unless the raw text is wanted', () => {
  expect(rendersMarkdown({ env: {}, width: 80 }, 'rendered')).toBe(true);
  expect(rendersMarkdown({ env: {}, width: 80 }, 'raw')).toBe(false);
  expect(rendersMarkdown({ env: { TERM: 'dumb' }, width: 80 }, 'rendered')).toBe(false);
  expect(rendersMarkdown({ env: {} }, 'rendered')).toBe(false);
});

test('a whole answer is formatted without a line break at its end', () => {
  const options = { io: { paint: noColor, charset: 'ascii' }, columns: () => 20 } as const;
  expect(formatAnswer('- a\n', { ...options, isRendered: true })).toBe('* a');
  expect(formatAnswer('- a\u0007', { ...options, isRendered: false })).toBe(String.raw`- a\u{7}`);
});
