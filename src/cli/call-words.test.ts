import { expect, test } from 'vitest';
import { callWords } from './call-words.ts';

test.each([
  [
    'There is no tool "cht". tools/list names them all.',
    'There is no tool "cht".\n  fix: exai tools --all',
  ],
  [
    'There is no tool "cht", did you mean "chat"?\n  fix: tools/list names them all.',
    'There is no tool "cht", did you mean "chat"?\n  fix: exai tools --all',
  ],
  [
    '"step" and "findings" are missing. What they must be: tool_help with {"tool": "debug"}.',
    `"step" and "findings" are missing.\n  fix: exai call tool_help --args '{"tool": "debug"}'`,
  ],
  ['"lines" must be 5 or more, but is 1.', '"lines" must be 5 or more, but is 1.'],
])('%s', (told, words) => {
  expect(callWords(told)).toBe(words);
});
