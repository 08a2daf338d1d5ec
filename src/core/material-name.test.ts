import { expect, test } from 'vitest';
import { materialName } from './material-name.ts';

test.each([
  '[request]',
  ' [findings]',
  '\n\t[x]',
  '\u200b[x]',
  '\u202e[x]',
  '\u0001[x]',
  '\u00a0\ufeff[x]',
])('a file that is called %j is no material of ours', (name) => {
  expect(materialName(name)).toBe(`./${name}`);
});

test.each(['a.ts', 'src/[id].ts', './[x]', '', ' '])('%j stays what it is', (name) => {
  expect(materialName(name)).toBe(name);
});
