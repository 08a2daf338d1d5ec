import { expect, test } from 'vitest';
import { createIds, idTime, isId } from './ids.ts';

const zeros = (bytes: number) => new Uint8Array(bytes);

test('ids made later sort later, within a millisecond and when the clock steps back', () => {
  let now = 1_760_050_749_591;
  const newId = createIds({ now: () => now }, zeros);
  const ids = [newId('req'), newId('req')];
  now -= 5000;
  ids.push(newId('req'));
  now += 10_000;
  ids.push(newId('req'));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(4);
});

test('the counter within one millisecond never runs over into a duplicate', () => {
  const newId = createIds({ now: () => 1 }, zeros);
  const ids = Array.from({ length: 40_000 }, () => newId('turn'));
  expect(new Set(ids).size).toBe(40_000);
  expect(ids).toEqual([...ids].sort());
});

test('an id is recognised by its kind and its alphabet', () => {
  const newId = createIds({ now: () => 5 }, zeros);
  expect(isId(newId('conv'), 'conv')).toBe(true);
  expect(isId(newId('conv'), 'job')).toBe(false);
  expect(isId('conv_../../etc/passwd', 'conv')).toBe(false);
  expect(isId(`${newId('conv')}x`, 'conv')).toBe(false);
});

test.each([0, 1, 31, 32, 1_760_050_749_591, 32 ** 9 - 1])(
  'an id tells that it was made at %i',
  (now) => {
    const newId = createIds({ now: () => now }, (bytes) => new Uint8Array(bytes).fill(255));
    expect([idTime(newId('conv')), idTime(newId('client'))]).toEqual([now, now]);
  },
);
