import { describe, expect, test } from 'vitest';
import { parseLargeJson } from './parse-large-json.ts';

async function parse(text: string) {
  let pauses = 0;
  const value = await parseLargeJson(text, async () => void (pauses += 1));
  return { value, pauses };
}

const numbers = Array.from({ length: 250_000 }, (_, at) => at / 7);
const models = Array.from({ length: 6000 }, (_, at) => ({
  id: `vendor/model-${at}`,
  pricing: { prompt: '0.1', completion: `0.${at}` },
  parameters: ['temperature', 'tools'],
}));

describe('a large text', () => {
  test.each<[string, unknown]>([
    ['a list of numbers', numbers],
    ['vectors within an object', { data: [{ index: 0, embedding: numbers }], usage: { a: 1 } }],
    ['a list of models', { object: 'list', data: models }],
    ['names that differ', Object.fromEntries(numbers.slice(0, 40_000).map((at) => [`k${at}`, at]))],
    ['a string and a list', ['"[,{:\\'.repeat(10_000), numbers]],
  ])('%s is what JSON.parse makes of it, with pauses', async (_, given) => {
    const text = JSON.stringify(given);
    const { value, pauses } = await parse(` ${text}\n`);
    expect(JSON.stringify(value)).toBe(text);
    expect(pauses).toBeGreaterThan(2);
  });

  test('keeps __proto__ as a name, and the last of two members with one name', async () => {
    const list = `[${'1,'.repeat(150_000)}1]`;
    const { value } = await parse(`{"a":1,"__proto__":${list},"b":${list},"a":2}`);
    expect(Object.keys(value as object)).toEqual(['a', '__proto__', 'b']);
    expect(value).toHaveProperty('a', 2);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  const list = `${'1,'.repeat(150_000)}1`;
  test.each([
    ['a comma at its end', `[${list},]`],
    ['two commas', `[${list},,1]`],
    ['no closing bracket', `[${list}`],
    ['another closing bracket', `[${list}}`],
    ['a bracket too many', `[${list}]]`],
    ['a member without a name', `{${list}}`],
    ['a name without quotes', `{a:[${list}]}`],
    ['a name without a colon', `{"a"[${list}]}`],
    ['something behind it', `[${list}] 1`],
    ['a wrong word in it', `[${list},nul,${list}]`],
    ['five levels around it', `[[[[[[${list}],1${',[]'.repeat(200_000)}]]]]]`],
  ])('with %s is no JSON', async (_, text) => {
    expect((await parse(text)).value).toBeUndefined();
  });
});

test('a small text takes no pause', async () => {
  expect(await parse('{"a":[1,2]}')).toEqual({ value: { a: [1, 2] }, pauses: 0 });
});
