import { describe, expect, test } from 'vitest';
import {
  isAbsent,
  isJsonObject,
  isTooDeep,
  readBodyObject,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNestedObject,
  readNumber,
  readObject,
  readString,
} from './fields.ts';
import { errorClassAndField, thrownError } from './thrown-error.fixture.ts';

describe('fields', () => {
  const WORDS = ['a', 'b', 'c'] as const;

  test('valid values are returned as they are', () => {
    const object = { a: 1 };
    const list = [1];
    expect(readBodyObject(object, '{}')).toBe(object);
    expect(readObject(object, 'f')).toBe(object);
    expect(readList(list, 'f')).toBe(list);
    expect(readString('', 'f')).toBe('');
    expect([readNumber(0, 'f', 0, 1), readNumber(1, 'f', 0, 1)]).toEqual([0, 1]);
    expect([readInteger(-3, 'f', -3), readInteger(8, 'f', 1, 8)]).toEqual([-3, 8]);
    expect([readBoolean(true, 'f'), readBoolean(false, 'f')]).toEqual([true, false]);
    expect(readChoice('b', 'f', WORDS)).toBe('b');
  });

  test.each([null, undefined])('%s counts as missing', (value) => {
    expect(isAbsent(value)).toBe(true);
    expect(readNumber(value, 'f', 0, 1)).toBeUndefined();
    expect(readInteger(value, 'f', 0)).toBeUndefined();
    expect(readBoolean(value, 'f')).toBeUndefined();
    expect(readChoice(value, 'f', WORDS)).toBeUndefined();
  });

  describe('an error names the field and a valid value', () => {
    test.each<[() => unknown, string, string]>([
      [() => readObject([], 'f'), 'f must be an object.', 'Send a JSON object.'],
      [() => readObject(null, 'f'), 'f must be an object.', 'Send a JSON object.'],
      [() => readString(5, 'f'), 'f must be a text.', 'Send a text.'],
      [() => readList({ length: 1 }, 'f'), 'f must be a list.', 'Send a list.'],
      [() => readNumber('1', 'f', 0, 1), 'f must be a number from 0 to 1.', OR_NONE],
      [() => readNumber(Number.NaN, 'f', 0, 1), 'f must be a number from 0 to 1.', OR_NONE],
      [() => readInteger(1.5, 'f', 1), 'f must be a whole number from 1 on.', OR_NONE],
      [() => readInteger(2 ** 53, 'f', 1), 'f must be a whole number from 1 on.', OR_NONE],
      [() => readInteger(9, 'f', 1, 8), 'f must be a whole number from 1 to 8.', OR_NONE],
      [() => readBoolean('true', 'f'), 'f must be true or false.', OR_NONE],
      [() => readChoice('constructor', 'f', WORDS), 'f must be a, b or c.', OR_NONE],
      [() => readChoice(['a'], 'f', ['a']), 'f must be a.', OR_NONE],
    ])('%s', (read, message, fix) => {
      expect(thrownError(read)).toMatchObject({ class: 'validation', field: 'f', message, fix });
    });
  });

  const OR_NONE = 'Send one, or leave it out.';

  test('a body that is not an object is a bad request', () => {
    for (const body of [null, undefined, 5, 'x', true, []]) {
      expect(isJsonObject(body)).toBe(false);
      expect(errorClassAndField(() => readBodyObject(body, '{}'))).toBe('bad_request body');
    }
  });
});

describe('nesting', () => {
  function nested(levels: number): object {
    return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
  }

  test('an object that is passed on may be nested a hundred deep, and not one more', () => {
    const most = nested(100);
    expect(readNestedObject(most, 'f')).toBe(most);
    expect(errorClassAndField(() => readNestedObject(nested(101), 'f'))).toBe('validation f');
    expect(errorClassAndField(() => readNestedObject([], 'f'))).toBe('validation f');
  });

  test('a depth that would overflow the stack is harmless', () => {
    const lists = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect([isTooDeep(lists), isTooDeep(nested(50_000)), isTooDeep('x')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
