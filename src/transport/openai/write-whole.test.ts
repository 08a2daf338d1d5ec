import { expect, test } from 'vitest';
import { choiceOf, EXAI, finishedWith, USAGE } from './bodies.fixture.ts';
import { readChat } from './read-chat.ts';
import { writeWhole } from './write-whole.ts';

const calls = [
  { id: 'c0', name: 'f', arguments: '{"a":1}' },
  { id: 'c1', name: 'g', arguments: '{}' },
];

function parsed(json: string): { choices: { message: object }[] } {
  return JSON.parse(json) as { choices: { message: object }[] };
}

test('an answer is a chat.completion with usage, and with what EX-AI says of it', () => {
  expect(parsed(writeWhole(finishedWith(choiceOf()), 'tools'))).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'kimi-k2.6',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello!', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
    exai: EXAI,
  });
});

test('several answers are numbered', () => {
  const finished = finishedWith(choiceOf(), choiceOf({ finish: 'length' }));
  expect(parsed(writeWhole(finished, 'tools')).choices).toMatchObject([
    { index: 0, finish_reason: 'stop' },
    { index: 1, finish_reason: 'length' },
  ]);
});

test('an answer of calls alone has no content', () => {
  const said = choiceOf({ text: '', reasoning: 'Hm.', toolCalls: calls, finish: 'tool_calls' });
  expect(parsed(writeWhole(finishedWith(said), 'tools')).choices).toEqual([
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
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ]);
});

test('a client of 2023 gets the first call, as it did in 2023', () => {
  const said = choiceOf({ text: '', toolCalls: calls, finish: 'tool_calls' });
  expect(parsed(writeWhole(finishedWith(said), 'functions')).choices).toMatchObject([
    {
      message: { content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    },
  ]);
});

test('sources are told, with their place where the text has one', () => {
  const citations = [
    { title: 'A', url: 'https://a.example', mark: 'ref_1' },
    { title: 'B', url: 'https://b.example', mark: 'ref_2' },
    { title: 'C', url: 'https://c.example' },
  ];
  const said = choiceOf({ text: 'So [ref_1].', citations });
  const cited = (url: string, title: string, start: number, end: number) => ({
    type: 'url_citation',
    url_citation: { url, title, start_index: start, end_index: end },
  });
  expect(parsed(writeWhole(finishedWith(said), 'tools')).choices[0]?.message).toMatchObject({
    annotations: [
      cited('https://a.example', 'A', 3, 10),
      cited('https://b.example', 'B', 0, 0),
      cited('https://c.example', 'C', 0, 0),
    ],
  });
});

test('what was answered can be handed back as it came', () => {
  const details = [{ type: 'reasoning.text', text: 'Hm.' }];
  const said = choiceOf({
    text: '',
    reasoning: 'Hm.',
    toolCalls: calls,
    reasoningDetails: details,
  });
  const { message } = parsed(writeWhole(finishedWith(said), 'tools')).choices[0] ?? {};
  const result = { role: 'tool', tool_call_id: 'c0', content: '5' };
  const { chat } = readChat({ messages: [message, result] }, {});
  expect(chat.ask.messages[0]).toEqual({
    role: 'assistant',
    content: '',
    reasoning: 'Hm.',
    reasoningDetails: details,
    toolCalls: calls,
  });
});

test('what nobody could hand back is not told', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as never;
  const { message } =
    parsed(writeWhole(finishedWith(choiceOf({ reasoningDetails: [deep] })), 'tools')).choices[0] ??
    {};
  expect(message).toEqual({ role: 'assistant', content: 'Hello!', refusal: null });
});
