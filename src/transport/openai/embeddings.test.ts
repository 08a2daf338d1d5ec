import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GatewayVectors } from '#core/llm/gateway.ts';
import { isAcceptedOrExplained, errorClassAndField } from '../gateway/thrown-error.fixture.ts';
import { ENVELOPE, EXAI } from './finished-chat.fixture.ts';
import { readEmbeddings, writeEmbeddings } from './embeddings.ts';

test('a text is a list of one, and everything else has a default', () => {
  expect(readEmbeddings({ input: 'a' })).toEqual({
    request: { model: 'auto', texts: ['a'] },
    encoding: 'float',
  });
  const whole = {
    model: 'embedding-3',
    input: ['a', 'b'],
    dimensions: 256,
    encoding_format: 'base64',
    user: 'u-1',
  };
  expect(readEmbeddings(whole)).toEqual({
    request: { model: 'embedding-3', texts: ['a', 'b'], dimensions: 256 },
    encoding: 'base64',
  });
});

describe('an invalid input is rejected by its name', () => {
  test.each<[unknown, string]>([
    [[], 'bad_request body'],
    [null, 'bad_request body'],
    [{}, 'validation input'],
    [{ input: '' }, 'validation input'],
    [{ input: [] }, 'validation input'],
    [{ input: {} }, 'validation input'],
    [{ input: [1, 2] }, 'validation input'],
    [{ input: [[1, 2]] }, 'validation input[0]'],
    [{ input: ['a', ''] }, 'validation input[1]'],
    [{ input: ['a', null] }, 'validation input[1]'],
    [{ input: 'a', model: 5 }, 'validation model'],
    [{ input: 'a', dimensions: 0 }, 'validation dimensions'],
    [{ input: 'a', encoding_format: 'int8' }, 'validation encoding_format'],
  ])('%j', (body, refused) => {
    expect(errorClassAndField(() => readEmbeddings(body))).toBe(refused);
  });

  test('more than 2048 texts', () => {
    const input = (count: number) => ({ input: Array.from({ length: count }, () => 'a') });
    expect(errorClassAndField(() => readEmbeddings(input(2048)))).toBe('taken');
    expect(errorClassAndField(() => readEmbeddings(input(2049)))).toBe('validation input');
  });

  test('any JSON value at all, by one error', () => {
    const body = fc.oneof(fc.jsonValue(), fc.record({ input: fc.jsonValue() }));
    const isRight = (value: unknown) => isAcceptedOrExplained(() => readEmbeddings(value));
    fc.assert(fc.property(body, isRight));
    expect(isRight({ input: 'a' })).toBe(true);
  });
});

describe('vectors are written', () => {
  const answer: GatewayVectors = {
    model: 'embedding-3',
    provider: 'glm',
    // The second starts in the middle of its buffer.
    vectors: [new Float32Array([1, -0.5]), new Float32Array([9, 0.25, 2]).subarray(1)],
    usage: { input: 7, output: 0, cached: 0, reasoning: 0, estimated: false },
  };
  const listed = (...embeddings: unknown[]) => ({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'embedding-3',
    usage: { prompt_tokens: 7, total_tokens: 7 },
    exai: { ...EXAI, provider: 'glm', model: 'embedding-3' },
  });
  const finished = { reqId: 'req_1', answer, envelope: ENVELOPE };

  test('as numbers', () => {
    expect(JSON.parse(writeEmbeddings(finished, 'float'))).toEqual(listed([1, -0.5], [0.25, 2]));
  });

  test('as little-endian bytes', () => {
    expect(JSON.parse(writeEmbeddings(finished, 'base64'))).toEqual(
      listed('AACAPwAAAL8=', 'AACAPgAAAEA='),
    );
  });
});
