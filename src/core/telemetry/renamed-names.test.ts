import { expect, test } from 'vitest';
import { currentEventName, oldEventName, renamedEvents, RENAMED_METRICS } from './renamed-names.ts';

test('old and new names of events lead to each other, also of the line that counts the rest', () => {
  for (const { old, current } of renamedEvents()) {
    expect([oldEventName(current), currentEventName(old)]).toEqual([old, current]);
    expect(oldEventName(`${current}_more`)).toBe(`${old}_more`);
  }
  expect([oldEventName('daemon_started'), oldEventName('toString')]).toEqual([
    undefined,
    undefined,
  ]);
});

test('no name is both old and new', () => {
  const pairs = [
    ...renamedEvents(),
    ...Object.entries(RENAMED_METRICS).map(([current, old]) => ({ current, old })),
  ];
  const names = pairs.flatMap(({ old, current }) => [old, current]);
  expect(new Set(names).size).toBe(names.length);
});
