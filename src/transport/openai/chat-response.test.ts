import { expect, test } from 'vitest';
import { choiceOf, EXAI, finishedWith, USAGE } from './finished-chat.fixture.ts';
import { readOpenAiChat } from './chat-request.ts';
import { writeOpenAiResponse } from './chat-response.ts';

const calls = [
  { id: 'c0', name: 'f', arguments: '{"a":1}' },
  { id: 'c1', name: 'g', arguments: '{}' },
];

function parsed(json: string): { choices: { message: object }[] } {
  return JSON.parse(json) as { choices: { message: object }[] };
}

test('an answer is a chat.completion with usage and the exai member', () => {
  expect(parsed(writeOpenAiResponse(finishedWith(choiceOf()), 'tools'))).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'kimi-k2.6',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello!', refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
    service_tier: 'default',
    exai: EXAI,
  });
});

test('several answers are numbered', () => {
  const finished = finishedWith(choiceOf(), choiceOf({ finish: 'length' }));
  expect(parsed(writeOpenAiResponse(finished, 'tools')).choices).toMatchObject([
    { index: 0, finish_reason: 'stop' },
    { index: 1, finish_reason: 'length' },
  ]);
});

test('an answer of calls alone has no content', () => {
  const choice = choiceOf({ text: '', reasoning: 'Hm.', toolCalls: calls, finish: 'tool_calls' });
  expect(parsed(writeOpenAiResponse(finishedWith(choice), 'tools')).choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'Hm.',
        tool_calls: [
          { id: 'c0', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'c1', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ]);
});

test('a client with legacy functions gets the first call only', () => {
  const choice = choiceOf({ text: '', toolCalls: calls, finish: 'tool_calls' });
  expect(parsed(writeOpenAiResponse(finishedWith(choice), 'functions')).choices).toMatchObject([
    {
      message: { content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    },
  ]);
});

test('citations are annotations, with their position if the text has a mark', () => {
  const citations = [
    { title: 'A', url: 'https://a.example', mark: 'ref_1' },
    { title: 'B', url: 'https://b.example', mark: 'ref_2' },
    { title: 'C', url: 'https://c.example' },
  ];
  const choice = choiceOf({ text: 'So [ref_1].', citations });
  const cited = (url: string, title: string, start: number, end: number) => ({
    type: 'url_citation',
    url_citation: { url, title, start_index: start, end_index: end },
  });
  expect(
    parsed(writeOpenAiResponse(finishedWith(choice), 'tools')).choices[0]?.message,
  ).toMatchObject({
    annotations: [
      cited('https://a.example', 'A', 3, 10),
      cited('https://b.example', 'B', 0, 0),
      cited('https://c.example', 'C', 0, 0),
    ],
  });
});

test('an answer can be sent back unchanged in the next request', () => {
  const details = [{ type: 'reasoning.text', text: 'Hm.' }];
  const choice = choiceOf({
    text: '',
    reasoning: 'Hm.',
    toolCalls: calls,
    reasoningDetails: details,
  });
  const { message } = parsed(writeOpenAiResponse(finishedWith(choice), 'tools')).choices[0] ?? {};
  const result = { role: 'tool', tool_call_id: 'c0', content: '5' };
  const { chat } = readOpenAiChat({ messages: [message, result] }, {});
  expect(chat.ask.messages[0]).toEqual({
    role: 'assistant',
    content: '',
    reasoning: 'Hm.',
    reasoningDetails: details,
    toolCalls: calls,
  });
});

test('reasoning details that would be rejected are left out', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as never;
  const { message } =
    parsed(writeOpenAiResponse(finishedWith(choiceOf({ reasoningDetails: [deep] })), 'tools'))
      .choices[0] ?? {};
  expect(message).toEqual({
    role: 'assistant',
    content: 'Hello!',
    refusal: null,
    annotations: [],
  });
});
