import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { asking, KEY, kimiAt, useKimiWorld, WEATHER } from './kimi.fixture.ts';

const world = useKimiWorld();

describe.each(['whole', 'stream'] as const)('%s', (delivery) => {
  const ask = (text: string, more: Partial<ChatRequest> = {}) =>
    asking(text, { delivery, ...more });

  test('an answer has its text, its usage and its end', async () => {
    const { ask: send, exchanges } = world.kimi();
    expect(await send(ask('Say exactly: Grüße, 世界 👋'))).toMatchObject({
      is: 'answered',
      finish: 'stop',
      answer: {
        model: 'kimi-k2.6',
        text: 'Grüße, 世界 👋',
        reasoning: '',
        notices: [],
        usage: { estimated: false, reasoning: 0 },
      },
    });
    expect(exchanges).toMatchObject([
      {
        provider: 'kimi',
        operation: 'chat',
        outcome: 'ok',
        status: 200,
        vendorIds: {
          'msh-request-id': expect.stringMatching(/^req-/) as string,
          'x-msh-trace-id': expect.stringMatching(/^msh-/) as string,
          'x-trace-id': expect.stringMatching(/^trace-/) as string,
        },
      },
    ]);
  });

  test('reasoning is separate from the answer', async () => {
    const { ask: send } = world.kimi();
    const outcome = await send(ask('Say exactly: Yes. [[think 12]]', { thinking: { mode: 'on' } }));
    expect(outcome).toMatchObject({ is: 'answered', answer: { text: 'Yes.' } });
    expect(outcome.answer.reasoning).not.toBe('');
    // In streams Kimi counts reasoning as output only.
    const counted = outcome.answer.usage?.reasoning ?? 0;
    expect(counted > 0).toBe(delivery === 'whole');
  });

  test('a tool is called, answered, and its result used, while the model thinks', async () => {
    const { ask: send } = world.kimi();
    const request = ask('What is the weather in "Oslo"?', {
      tools: [WEATHER],
      thinking: { mode: 'on' },
    });
    const called = await send(request);
    expect(called).toMatchObject({ is: 'answered', finish: 'tool_calls' });
    const { toolCalls, reasoning } = called.answer;
    expect(toolCalls).toMatchObject([{ name: 'weather' }]);
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toMatchObject({ city: 'Oslo' });
    const messages = [
      ...request.messages,
      { role: 'assistant', content: '', reasoning, toolCalls } as const,
      { role: 'tool', toolCallId: toolCalls[0]?.id ?? '', content: 'Rain in Oslo.' } as const,
    ];
    const answered = await send({ ...request, messages });
    expect(answered).toMatchObject({ is: 'answered', finish: 'stop' });
    expect(answered.answer.text).toContain('Rain in Oslo.');
  });

  verifies(
    'provider:facts',
    `Kimi messages: a history of another provider, without thoughts and with an empty result, is taken (${delivery})`,
    async () => {
      const { ask: send } = world.kimi();
      const outcome = await send(
        ask('', {
          tools: [WEATHER],
          thinking: { mode: 'on' },
          messages: [
            { role: 'user', content: 'What is the weather in "Oslo"?' },
            {
              role: 'assistant',
              content: '',
              toolCalls: [{ id: 'x', name: 'weather', arguments: '{}' }],
            },
            { role: 'tool', toolCallId: 'x', content: '' },
          ],
        }),
      );
      expect(outcome).toMatchObject({ is: 'answered', finish: 'stop' });
    },
  );

  test('a schema is kept to', async () => {
    const { ask: send } = world.kimi();
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
      required: ['n', 'kind'],
    };
    const outcome = await send(
      ask('Give me 7.', { responseFormat: { type: 'json_schema', name: 'x', schema } }),
    );
    expect(JSON.parse(outcome.answer.text)).toMatchObject({ n: expect.any(Number) as number });
  });

  test('an answer is continued from its last character', async () => {
    const { ask: send } = world.kimi();
    const outcome = await send(
      ask('', {
        continuation: 'prefix',
        messages: [
          { role: 'user', content: 'Say exactly: one two three' },
          { role: 'assistant', content: 'one two' },
        ],
      }),
    );
    expect(outcome.answer.text).toBe(' three');
  });
});

test('an address with its own path and port works, as a proxy has', async () => {
  const under = kimiAt(`${world.emulator.url}/kimi/v1/`, {});
  expect(await under.ask(asking('Say exactly: ok'))).toMatchObject({ answer: { text: 'ok' } });
  await under.close();
});

test('a chat that was cancelled before it began does not wait', async () => {
  const { provider, context, exchanges } = world.kimi();
  const events = provider.chat(asking('Hi.'), context)[Symbol.asyncIterator]();
  await events.return?.();
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(exchanges).toEqual([]);
});

test('the key is in no error, and in the header alone', async () => {
  world.emulator.fault({ id: 'F16' });
  const { ask } = world.kimi();
  const outcome = await ask(asking('Hi.'));
  expect(JSON.stringify(outcome)).not.toContain(KEY);
});
