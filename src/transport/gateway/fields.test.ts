import { describe, expect, test } from 'vitest';
import {
  isAbsent,
  isObject,
  readBody,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readSwitch,
  readText,
} from './fields.ts';
import { refusedBy, thrownBy } from './refused.fixture.ts';

const WORDS = ['a', 'b', 'c'] as const;

test('what is right is given back as it is', () => {
  const object = { a: 1 };
  const list = [1];
  expect(readBody(object, '{}')).toBe(object);
  expect(readObject(object, 'f')).toBe(object);
  expect(readList(list, 'f')).toBe(list);
  expect(readText('', 'f')).toBe('');
  expect([readNumber(0, 'f', 0, 1), readNumber(1, 'f', 0, 1)]).toEqual([0, 1]);
  expect([readInteger(-3, 'f', -3), readInteger(8, 'f', 1, 8)]).toEqual([-3, 8]);
  expect([readSwitch(true, 'f'), readSwitch(false, 'f')]).toEqual([true, false]);
  expect(readChoice('b', 'f', WORDS)).toBe('b');
});

test.each([null, undefined])('%s is left out', (value) => {
  expect(isAbsent(value)).toBe(true);
  expect(readNumber(value, 'f', 0, 1)).toBeUndefined();
  expect(readInteger(value, 'f', 0)).toBeUndefined();
  expect(readSwitch(value, 'f')).toBeUndefined();
  expect(readChoice(value, 'f', WORDS)).toBeUndefined();
});

describe('what is wrong is told by its field, with what would be right', () => {
  test.each<[() => unknown, string, string]>([
    [() => readObject([], 'f'), 'f must be an object.', 'Send a JSON object.'],
    [() => readObject(null, 'f'), 'f must be an object.', 'Send a JSON object.'],
    [() => readText(5, 'f'), 'f must be a text.', 'Send a text.'],
    [() => readList({ length: 1 }, 'f'), 'f must be a list.', 'Send a list.'],
    [() => readNumber('1', 'f', 0, 1), 'f must be a number from 0 to 1.', OR_NONE],
    [() => readNumber(Number.NaN, 'f', 0, 1), 'f must be a number from 0 to 1.', OR_NONE],
    [() => readInteger(1.5, 'f', 1), 'f must be a whole number from 1 on.', OR_NONE],
    [() => readInteger(2 ** 53, 'f', 1), 'f must be a whole number from 1 on.', OR_NONE],
    [() => readInteger(9, 'f', 1, 8), 'f must be a whole number from 1 to 8.', OR_NONE],
    [() => readSwitch('true', 'f'), 'f must be true or false.', OR_NONE],
    [() => readChoice('constructor', 'f', WORDS), 'f must be a, b or c.', OR_NONE],
    [() => readChoice(['a'], 'f', ['a']), 'f must be a.', OR_NONE],
  ])('%s', (read, message, fix) => {
    expect(thrownBy(read)).toMatchObject({ class: 'validation', field: 'f', message, fix });
  });
});

const OR_NONE = 'Send one, or leave it out.';

test('a body that is no object is no request at all', () => {
  for (const body of [null, undefined, 5, 'x', true, []]) {
    expect(isObject(body)).toBe(false);
    expect(refusedBy(() => readBody(body, '{}'))).toBe('bad_request body');
  }
});
