import { expect, test } from 'vitest';
import { compareVersions } from './start-daemon-if-needed.ts';

const ORDER = [
  '0.0.0-source',
  '0.1.0-alpha',
  '0.1.0-alpha.1',
  '0.1.0-alpha.beta',
  '0.1.0-beta.2',
  '0.1.0-beta.11',
  '0.1.0',
  '0.1.1',
  '0.2.0',
  '0.10.0',
  '1.0.0',
];

test('versions are ordered as semver orders them', () => {
  for (const [i, a] of ORDER.entries()) {
    for (const [j, b] of ORDER.entries()) {
      expect(Math.sign(compareVersions(a, b)), `${a} and ${b}`).toBe(Math.sign(i - j));
    }
  }
});

test('a build makes no difference, and nonsense is old', () => {
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0);
  expect(compareVersions('what?', '0.1.0')).toBeLessThan(0);
});
