import { describe, expect, test } from 'vitest';
import type { ToolCall } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { AssistantTurn } from '../openai-compatible/response/response-parser.ts';
import type { StepResult } from '../openai-compatible/chat-plan.ts';
import { modelOf } from './kimi.fixture.ts';
import { createSearchSteps, SEARCH_TOOL } from './search.ts';

const MODEL = modelOf('kimi-k2.6');
const BODY: JsonObject = {
  messages: [{ role: 'user', content: 'Hi.' }],
  tools: [{ type: 'function', function: { name: 'look' } }, SEARCH_TOOL],
  tool_choice: 'auto',
};

const search = (args: string, id = 't1', name = '$web_search'): ToolCall => ({
  id,
  name,
  arguments: args,
});
const announcing = (tokens: number) => JSON.stringify({ usage: { total_tokens: tokens } });

function ended(turn: Partial<AssistantTurn>, body = BODY): StepResult {
  const whole: AssistantTurn = {
    text: '',
    reasoning: '',
    toolCalls: [],
    builtinCalls: [],
    finish: 'tool_calls',
    usage: { input: 100, output: 1, cached: 0, reasoning: 0, estimated: false },
    ...turn,
  };
  return {
    step: 1,
    body,
    turn: whole,
    end: { is: 'whole', reason: 'tool_calls' },
    hasRetriedReasoning: false,
    hasContent: false,
  };
}

test('arguments go back as they came, whatever they are, and calls without an id get one', () => {
  const rounds = createSearchSteps({}, MODEL, 'off');
  const calls = [search('{"a": 1}', ''), search('no JSON', 't2')];
  const next = rounds.next(ended({ text: 'Well: ', builtinCalls: calls }));
  expect(next?.body['messages']).toEqual([
    { role: 'user', content: 'Hi.' },
    {
      role: 'assistant',
      content: 'Well: ',
      tool_calls: [
        {
          id: 'search_1_0',
          type: 'builtin_function',
          function: { name: '$web_search', arguments: '{"a": 1}' },
        },
        {
          id: 't2',
          type: 'builtin_function',
          function: { name: '$web_search', arguments: 'no JSON' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'search_1_0', name: '$web_search', content: '{"a": 1}' },
    { role: 'tool', tool_call_id: 't2', name: '$web_search', content: 'no JSON' },
  ]);
});

test('results of unknown length are taken for eight thousand tokens', () => {
  const rounds = createSearchSteps({ maxTokens: 15_000 }, MODEL, 'off');
  const first = rounds.next(ended({ builtinCalls: [search('{}')] }));
  expect(first?.body['tools']).toContain(SEARCH_TOOL);
  const second = rounds.next(ended({ builtinCalls: [search('{}')] }, first?.body));
  expect(second?.body['tools']).not.toContain(SEARCH_TOOL);
  expect(second?.body['messages']).toEqual(first?.body['messages']);
});

test('the window counts, whatever was allowed', () => {
  const rounds = createSearchSteps({ maxTokens: 10_000_000 }, MODEL, 'off');
  const usage = { input: 255_000, output: 1, cached: 0, reasoning: 0, estimated: false };
  const next = rounds.next(ended({ builtinCalls: [search(announcing(4_000))], usage }));
  expect(next?.body['messages']).toEqual(BODY['messages']);
  expect(next?.body['tools']).toEqual([{ type: 'function', function: { name: 'look' } }]);
  expect(next?.body['tool_choice']).toBe('auto');
});

test('after the last search the tool is gone, and one more search is an error', () => {
  const rounds = createSearchSteps({ maxRounds: 1 }, MODEL, 'off');
  const next = rounds.next(ended({ builtinCalls: [search(announcing(10))] }));
  expect(next?.body['tools']).toEqual([{ type: 'function', function: { name: 'look' } }]);
  expect(next?.body['messages']).toHaveLength(3);
  expect(() => rounds.next(ended({ builtinCalls: [search('{}')] }, next?.body))).toThrow(
    expect.objectContaining({ class: 'bad_response', provider: 'kimi', model: 'kimi-k2.6' }),
  );
});

test('a turn that also calls a tool of the caller is the caller’s', () => {
  const rounds = createSearchSteps({}, MODEL, 'off');
  const toolCalls = [{ id: 'c', name: 'look', arguments: '{}' }];
  expect(rounds.next(ended({ toolCalls, builtinCalls: [search('{}')] }))).toBeUndefined();
});

describe('a search that was not offered', () => {
  test.each([
    ['without a search', undefined, '$web_search'],
    ['of another name', {}, '$memory'],
  ])('%s is an error', (_, wanted, name) => {
    const rounds = createSearchSteps(wanted, MODEL, 'off');
    expect(() => rounds.next(ended({ builtinCalls: [search('{}', 't', name)] }))).toThrow(
      expect.objectContaining({ class: 'bad_response' }),
    );
  });
});

test.each([Number.NaN, -1, 0, Infinity])(
  '%s rounds are as good as none given, and never without end',
  (maxRounds) => {
    const rounds = createSearchSteps({ maxRounds }, MODEL, 'off');
    let body: JsonObject = BODY;
    let asked = 0;
    while (JSON.stringify(body['tools']).includes('$web_search')) {
      asked += 1;
      body = rounds.next(ended({ builtinCalls: [search(announcing(1))] }, body))?.body ?? {};
    }
    expect(asked).toBe(maxRounds === Infinity ? 10 : 3);
  },
);
