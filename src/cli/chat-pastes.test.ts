import { expect, test } from 'vitest';
import { createPastes, hasLabel } from './chat-pastes.ts';

test('a short line is pasted as it is, without the line break that came along', () => {
  const pastes = createPastes(1_000);
  expect(pastes.take('SELECT 1;\r')).toBe('SELECT 1;');
  expect(pastes.take('שלום 世界 🦉')).toBe('שלום 世界 🦉');
  expect(pastes.take('\r\n')).toBe('');
});

test('several lines, tabs and long texts are labels that stand for all of it', () => {
  const pastes = createPastes(10_000);
  const lines = pastes.take('one\r\n\ttwo\rthree\n');
  expect(lines).toBe('[pasted #1: 3 lines]');
  expect(pastes.take('a\tb')).toBe('[pasted #2: 3 characters]');
  expect(pastes.take('x'.repeat(2_000))).toBe('[pasted #3: 2,000 characters]');
  expect(pastes.expand(`Sum up ${lines} and ${lines}, not [pasted #9: 3 lines]`)).toBe(
    'Sum up one\n\ttwo\nthree and one\n\ttwo\nthree, not [pasted #9: 3 lines]',
  );
});

test('what was pasted is not looked through for labels, and $ has no meaning in it', () => {
  const pastes = createPastes(1_000);
  const first = pastes.take('a\nb');
  const second = pastes.take(`${first}\n$& $1`);
  expect(pastes.expand(second)).toBe('[pasted #1: 2 lines]\n$& $1');
});

test('the oldest are forgotten when there would be too many', () => {
  const pastes = createPastes(10);
  const [first, second] = [pastes.take('1\n2345'), pastes.take('6\n7890')];
  expect(pastes.expand(first)).toBe(first);
  expect(pastes.expand(second)).toBe('6\n7890');
  const large = pastes.take('x\n'.repeat(20));
  expect(pastes.expand(large)).toHaveLength(39);
});

test('a line with a label is known', () => {
  expect([hasLabel('a [pasted #1: 2 lines]'), hasLabel('pasted')]).toEqual([true, false]);
});
