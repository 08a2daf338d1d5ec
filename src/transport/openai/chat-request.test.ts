import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { isAcceptedOrExplained, errorClassAndField } from '../gateway/thrown-error.fixture.ts';
import { askOf, HELLO } from './finished-chat.fixture.ts';
import { readOpenAiChat } from './chat-request.ts';

const PARSED = { name: 'f', schema: { type: 'object' } };

test('the smallest body asks the model `auto` for one whole answer', () => {
  const { chat, delivery } = readOpenAiChat({ messages: HELLO }, {});
  expect(delivery).toBe('whole');
  expect(chat).toEqual({
    ask: {
      model: 'auto',
      messages: HELLO,
      search: 'off',
      lastResort: 'none',
      context: 'whole',
      delivery: 'whole',
    },
    choices: 1,
  });
});

test('a body with everything becomes a request with everything', () => {
  const body = {
    model: 'kimi-k2.6',
    messages: HELLO,
    stream: true,
    stream_options: { include_usage: true },
    n: 3,
    stop: ['a', 'b'],
    max_tokens: 9,
    max_completion_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: -1,
    frequency_penalty: 1,
    seed: -7,
    reasoning_effort: 'xhigh',
    web_search_options: {},
    response_format: { type: 'json_schema', json_schema: { ...PARSED, strict: true } },
    parallel_tool_calls: false,
    user: 'u-1',
    exai: { continue: false, fallback: 'none', prefer: 'cost', max_cost_usd: 0.25 },
  };
  const { chat, delivery } = readOpenAiChat(body, { prefer: 'speed' });
  expect(delivery).toBe('stream');
  expect(chat).toEqual({
    ask: {
      model: 'kimi-k2.6',
      messages: HELLO,
      search: 'on',
      lastResort: 'none',
      context: 'whole',
      delivery: 'stream',
      thinking: 'max',
      responseFormat: { type: 'json_schema', ...PARSED },
      sampling: {
        temperature: 0.5,
        topP: 0.9,
        presencePenalty: -1,
        frequencyPenalty: 1,
        seed: -7,
      },
      stop: ['a', 'b'],
      maxOutputTokens: 9,
      onInterruption: 'fail',
      fallback: 'none',
      prefer: 'speed',
      maxCostMicroUsd: 250_000,
    },
    choices: 3,
  });
});

test('null counts as missing', () => {
  const names = [
    'model stream stream_options n stop max_tokens max_completion_tokens temperature top_p seed tools',
    'presence_penalty frequency_penalty reasoning_effort web_search_options response_format functions',
    'tool_choice function_call parallel_tool_calls logprobs top_logprobs logit_bias modalities audio exai',
  ].flatMap((line) => line.split(' '));
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  expect(askOf(nulls)).toEqual(askOf({}));
});

test('hints and unknown members are ignored', () => {
  const hints = {
    store: true,
    metadata: { a: 'b' },
    service_tier: 'flex',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    verbosity: 'low',
    prediction: { type: 'content', content: 'x' },
    logprobs: false,
    top_logprobs: 0,
    logit_bias: {},
    modalities: ['text'],
    tools: [],
    functions: [],
    stop: [],
    tool_choice: 'auto',
    some_new_field: [1],
  };
  expect(askOf(hints)).toEqual(askOf({}));
  expect(askOf(JSON.parse('{"__proto__": {"stream": true, "n": 4}}') as object)).toEqual(askOf({}));
});

test.each([
  ['none', 'minimal'],
  ['minimal', 'minimal'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'max'],
  ['max', 'max'],
])('the effort %s is the thinking mode %s', (effort, mode) => {
  expect(askOf({ reasoning_effort: effort }).thinking).toBe(mode);
});

test.each([
  [{ max_tokens: 7 }, 7],
  [{ max_completion_tokens: 7 }, 7],
  [{ max_tokens: 7, max_completion_tokens: 7 }, 7],
])('%o limits the answer to %d tokens', (body, tokens) => {
  expect(askOf(body).maxOutputTokens).toBe(tokens);
});

test('two different token limits are rejected with both names', () => {
  expect(() => askOf({ max_tokens: 7, max_completion_tokens: 8 })).toThrow(
    'max_tokens and max_completion_tokens are both given, and differ.',
  );
});

describe('a value of the wrong type is rejected by its name', () => {
  test.each<[object, string]>([
    [{ model: 5 }, 'model'],
    [{ model: 'm'.repeat(257) }, 'model'],
    [{ stream: 'yes' }, 'stream'],
    [{ stream_options: [] }, 'stream_options'],
    [{ stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
    [{ n: 0 }, 'n'],
    [{ n: 9 }, 'n'],
    [{ n: 1.5 }, 'n'],
    [{ stop: 5 }, 'stop'],
    [{ stop: '' }, 'stop'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: ['a', null] }, 'stop[1]'],
    [{ stop: ['a', ''] }, 'stop[1]'],
    [{ stop: ['a', 'x'.repeat(1001)] }, 'stop[1]'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: -1 }, 'max_tokens'],
    [{ max_completion_tokens: '7' }, 'max_completion_tokens'],
    [{ max_tokens: 7, max_completion_tokens: 8 }, 'max_tokens'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: Number.POSITIVE_INFINITY }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ presence_penalty: 3 }, 'presence_penalty'],
    [{ frequency_penalty: -3 }, 'frequency_penalty'],
    [{ seed: 0.5 }, 'seed'],
    [{ reasoning_effort: 'constructor' }, 'reasoning_effort'],
    [{ web_search_options: true }, 'web_search_options'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ logprobs: true }, 'logprobs'],
    [{ top_logprobs: 3 }, 'top_logprobs'],
    [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ audio: { voice: 'alloy' } }, 'audio'],
    [{ moderation: { model: 'm' } }, 'moderation'],
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [
      { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
      'response_format.json_schema.name',
    ],
    [schemaOf(null), 'response_format.json_schema.schema'],
    [schemaOf([]), 'response_format.json_schema.schema'],
    [
      schemaOf({ properties: { x: { $ref: '#/$defs/nosuch' } } }),
      'response_format.json_schema.schema.properties.x.$ref',
    ],
    [schemaOf('{"type":"object"}'), 'response_format.json_schema.schema'],
    [schemaOf({ type: 'map' }), 'response_format.json_schema.schema.type'],
    [schemaOf({ type: ['object', 5] }), 'response_format.json_schema.schema.type'],
    [schemaOf({ properties: [] }), 'response_format.json_schema.schema.properties'],
    [schemaOf({ required: 'name' }), 'response_format.json_schema.schema.required'],
    [schemaOf(nested(101)), 'response_format.json_schema.schema'],
    [{ exai: true }, 'exai'],
    [{ exai: { continue: 'no' } }, 'exai.continue'],
    [{ exai: { fallback: 'some' } }, 'exai.fallback'],
    [{ exai: { prefer: 'quality' } }, 'exai.prefer'],
    [{ exai: { max_cost_usd: -1 } }, 'exai.max_cost_usd'],
    [{ exai: { max_cost_usd: '0.01' } }, 'exai.max_cost_usd'],
    [{ exai: { max_cost_usd: Number.POSITIVE_INFINITY } }, 'exai.max_cost_usd'],
    [{ exai: { max_cost: 1 } }, 'exai.max_cost'],
    [{ exai: JSON.parse('{"__proto__": 1}') as object }, 'exai.__proto__'],
  ])('%j', (body, field) => {
    expect(errorClassAndField(() => askOf(body))).toBe(`validation ${field}`);
  });
});

test('a body that is not an object is a bad request', () => {
  for (const body of [null, undefined, 5, 'x', true, [], [HELLO]])
    expect(errorClassAndField(() => readOpenAiChat(body, {}))).toBe('bad_request body');
});

verifies('gateway:hostile-body', 'any JSON is a request, or one error that names a field', () => {
  const words = fc.constantFrom('user', 'assistant', 'tool', 'function', 'text', 'image_url', 'f');
  const some = fc.oneof(words, fc.jsonValue());
  const message = fc.record(
    { role: some, content: some, tool_calls: some, function_call: some, name: some, refusal: some },
    { requiredKeys: ['role'] },
  );
  const names = [
    'model stream stream_options n stop max_tokens max_completion_tokens temperature top_p seed tools exai',
    'reasoning_effort web_search_options response_format functions tool_choice function_call logit_bias',
  ].flatMap((line) => line.split(' '));
  const fields = Object.fromEntries(names.map((name) => [name, some]));
  const messages = fc.oneof(fc.array(fc.oneof(message, some)), some);
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ messages }),
    fc.record({ ...fields, messages }, { requiredKeys: [] }),
  );
  const isRight = (value: unknown) => isAcceptedOrExplained(() => readOpenAiChat(value, {}));
  fc.assert(fc.property(body, isRight), { numRuns: 500 });
  expect(isRight({ messages: HELLO })).toBe(true);
});

function schemaOf(schema: unknown): object {
  return { response_format: { type: 'json_schema', json_schema: { name: 'f', schema } } };
}

function nested(levels: number): object {
  let value: object = {};
  for (let at = 0; at < levels; at++) value = { properties: value };
  return value;
}
