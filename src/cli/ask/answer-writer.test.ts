import { expect, test } from 'vitest';
import { createAnswerWriter } from './answer-writer.ts';

function written() {
  const texts: string[] = [];
  const writer = createAnswerWriter({ write: (text) => void texts.push(text) });
  return { writer, texts, all: () => texts.join('') };
}

test('an answer is shown as it comes, and its end and its sources when it is whole', () => {
  const { writer, texts } = written();
  expect(writer.hasBegun).toBe(false);
  writer.add('one ');
  writer.add('two');
  expect(writer.hasBegun).toBe(true);
  writer.finish('one two three\n\nSources:\n1. a');
  expect(texts).toEqual(['one ', 'two', ' three\n\nSources:\n1. a', '\n']);
});

test('what ends with a line break gets no second one', () => {
  const { writer, all } = written();
  writer.add('one\n');
  writer.finish('one\n');
  writer.breakOff();
  expect(all()).toBe('one\n');
});

test('an answer that was not streamed is shown at once', () => {
  const { writer, all } = written();
  writer.finish('All of it.');
  expect(all()).toBe('All of it.\n');
});

test('an answer of which other pieces came is shown once more, from its beginning', () => {
  const { writer, all } = written();
  writer.add('the end');
  writer.finish('the beginning and the end');
  expect(all()).toBe('the end\nthe beginning and the end\n');
});

test('a character in two halves is shown when it is whole', () => {
  const { writer, texts } = written();
  const [high = '', low = ''] = '🦉'.split('');
  writer.add(`owl ${high}`);
  writer.add(`${low}!`);
  expect(texts).toEqual(['owl ', '🦉!']);
  writer.add(high);
  writer.finish('owl 🦉!🦊');
  expect(texts.join('')).toBe('owl 🦉!🦊\n');
});

test('control characters are escaped, however they are split', () => {
  const { writer, all } = written();
  for (const text of ['\u001b', '[31mred\r', '\nend']) writer.add(text);
  writer.finish('\u001b[31mred\r\nend');
  expect(all()).toBe('\\u{1b}[31mred\nend\n');
});

test('an answer that breaks off leaves a whole line', () => {
  const { writer, all } = written();
  writer.breakOff();
  writer.add('half');
  writer.breakOff();
  writer.breakOff();
  expect(all()).toBe('half\n');
});
