import { expect, test } from 'vitest';
import { attachmentName } from './attachment-name.ts';

test.each([
  '[request]',
  ' [findings]',
  '\n\t[x]',
  '\u200b[x]',
  '\u202e[x]',
  '\u0001[x]',
  '\u00a0\ufeff[x]',
])('a file that is called %j is no material of ours', (name) => {
  expect(attachmentName(name)).toBe(`./${name}`);
});

test.each(['a.ts', 'src/[id].ts', './[x]', '', ' '])('%j stays what it is', (name) => {
  expect(attachmentName(name)).toBe(name);
});
