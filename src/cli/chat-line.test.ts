import { expect, test } from 'vitest';
import { linePart, readChatLine } from './chat-line.ts';

test('a line is a message, a command with the rest of its words, or nothing', () => {
  const lines: [string, object][] = [
    ['', { is: 'nothing' }],
    [' \t', { is: 'nothing' }],
    ['Hello', { is: 'message', text: 'Hello' }],
    [' /help', { is: 'message', text: ' /help' }],
    ['/help', { is: 'command', name: 'help', rest: '' }],
    ['/', { is: 'command', name: '', rest: '' }],
    ['/Model  kimi-k3 ', { is: 'command', name: 'model', rest: 'kimi-k3' }],
    ['/save my talk.md', { is: 'command', name: 'save', rest: 'my talk.md' }],
    ['//etc/hosts', { is: 'message', text: '/etc/hosts' }],
    ['///', { is: 'message', text: '//' }],
  ];
  expect(lines.map(([line]) => [line, readChatLine(line)])).toEqual(lines);
});

test('what has several lines is a message as it is, code that begins with slashes included', () => {
  const code = '// adds one\n/exit';
  expect(readChatLine(code)).toEqual({ is: 'message', text: code });
});

test('one backslash at the end of a line leaves it open, two do not', () => {
  expect(linePart('one\\')).toEqual({ text: 'one', end: 'open' });
  expect(linePart('C:\\\\')).toEqual({ text: 'C:\\\\', end: 'closed' });
  expect(linePart('a\\\\\\')).toEqual({ text: 'a\\\\', end: 'open' });
  expect(linePart('')).toEqual({ text: '', end: 'closed' });
});
