import { expect, onTestFinished, test } from 'vitest';
import type { ChatMessage } from '#core/llm/chat.ts';
import { ANTHROPIC } from '../../../test/cases/provider-subjects.ts';
import { openProvider } from '../../../test/cases/provider-under-test.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import { createMessageTranslator, toCompletion } from './messages-answer.ts';
import { toMessagesRequest } from './messages-request.ts';

async function setUp() {
  const open = await openProvider(ANTHROPIC);
  onTestFinished(() => open.close());
  const chat = (messages: readonly ChatMessage[], more: object = {}) =>
    collectChat(
      open.provider.chat(
        { model: ANTHROPIC.model, messages, delivery: 'stream', ...more },
        open.context(),
      ),
    );
  return { open, chat };
}

const TOOL = {
  name: 'weather',
  description: 'The weather of a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } } },
};

test('signed thinking goes back with the turn that it led to', async () => {
  const { open, chat } = await setUp();
  const question: ChatMessage = { role: 'user', content: 'What is 2 + 3?' };
  const first = await chat([question]);
  expect(first).toMatchObject({ is: 'answered', answer: { text: '2 + 3 is 5.' } });
  const { text, reasoning, reasoningDetails } = first.answer;
  expect(reasoning).not.toBe('');
  const turn = { role: 'assistant', content: text, reasoningDetails } as const;
  const second = await chat([question, turn, { role: 'user', content: 'What is 4 + 4?' }]);
  expect(second).toMatchObject({ is: 'answered', answer: { text: '4 + 4 is 8.' } });
  const [, sent] = open.bodies();
  expect(sent).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: reasoning }, { type: 'text' }] },
      { role: 'user' },
    ],
  });
});

test('a request has what the Messages API requires, and nothing that it refuses', async () => {
  const { open, chat } = await setUp();
  await chat(
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    { sampling: { temperature: 2, seed: 4 }, stop: ['END'], maxOutputTokens: 50 },
  );
  expect(open.bodies()[0]).toEqual({
    model: ANTHROPIC.model,
    max_tokens: 50,
    system: 'Be brief.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    stop_sequences: ['END'],
    temperature: 1,
    stream: true,
  });
  expect(open.received()[0]?.headers).toMatchObject({ 'anthropic-version': '2023-06-01' });
});

test('the preview is the request of the Messages API', async () => {
  const { open } = await setUp();
  const written = open.provider.preview?.({
    model: ANTHROPIC.model,
    messages: [{ role: 'user', content: 'Weather?' }],
    delivery: 'whole',
    tools: [TOOL],
    toolChoice: 'required',
  });
  expect(written?.url).toMatch(/\/anthropic\/v1\/messages$/);
  expect(written?.body).toMatchObject({
    tools: [{ name: 'weather', input_schema: TOOL.parameters }],
    tool_choice: { type: 'any' },
  });
});

test.each([
  [{ id: 'F3' }, 'overloaded'],
  [{ id: 'F2' }, 'billing'],
  [{ id: 'F10' }, 'not_found'],
  [{ id: 'F16' }, 'auth'],
  [{ id: 'F11.error', after: 4 }, 'overloaded'],
] as const)('%j is %s', async (fault, errorClass) => {
  const { open, chat } = await setUp();
  open.emulator.fault({ ...fault, vendor: 'anthropic', path: 'messages' });
  const outcome = await chat([{ role: 'user', content: 'What is 2 + 3?' }]);
  expect(outcome).toMatchObject({ is: 'failed', error: { class: errorClass } });
});

test('one token is asked for to try a model', async () => {
  const { open } = await setUp();
  expect(await open.provider.tryModel?.(ANTHROPIC.model, open.context())).toBe(ANTHROPIC.model);
  expect(open.bodies()[0]).toMatchObject({ max_tokens: 1, stream: false });
});

test('results of parallel calls stand in one turn', () => {
  const { messages } = toMessagesRequest({
    messages: [
      { role: 'assistant', content: '', tool_calls: [{ id: 'a', function: { name: 'f' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'user', content: 'Go' },
    ],
  });
  expect(messages).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: {} }] },
    { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }, { text: 'Go' }] },
  ]);
});

test('cached tokens are part of the input', () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 90, cache_creation_input_tokens: 7 };
  const whole = toCompletion({ content: [], usage: { ...usage, output_tokens: 5 } });
  const expected = { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 90 } };
  expect(whole).toMatchObject({ usage: { ...expected, completion_tokens: 5 } });
  const translator = createMessageTranslator();
  translator.take({ type: 'message_start', message: { usage } });
  const last = translator.take({ type: 'message_delta', usage: { output_tokens: 6 }, delta: {} });
  expect(last).toMatchObject([{ usage: { ...expected, completion_tokens: 6 } }]);
});

test('events that are not known, or not whole, are skipped', () => {
  const translator = createMessageTranslator();
  for (const event of [
    { type: 'ping' },
    { type: 'content_block_delta', index: 0 },
    {
      type: 'content_block_delta',
      index: 9,
      delta: { type: 'input_json_delta', partial_json: '{' },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use' } },
    { type: 'something_new' },
    {},
  ])
    expect(translator.take(event)).toEqual([]);
});
