import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { ADD, NUMBERS, requestFor, useGlmWorld } from './glm.fixture.ts';

const world = useGlmWorld();

const DELIVERIES = ['whole', 'stream'] as const;

describe.each(DELIVERIES)('a %s answer', (delivery) => {
  const ask = (text: string, more: Partial<ChatRequest> = {}, model = 'glm-4.6') =>
    world.ask(requestFor(model, text, { delivery, ...more }));

  test('comes with its reasoning, its usage and the ids of the vendor', async () => {
    const outcome = await ask('What is 2 + 3?');
    expect(outcome).toMatchObject({
      is: 'answered',
      finish: 'stop',
      answer: {
        model: 'glm-4.6',
        text: '2 + 3 is 5.',
        reasoning: expect.stringContaining('What is 2 + 3?'),
        usage: { estimated: false, reasoning: expect.any(Number) },
        notices: [],
      },
    });
    expect(world.exchanges).toMatchObject([
      {
        provider: 'glm',
        operation: 'chat',
        model: 'glm-4.6',
        status: 200,
        outcome: 'ok',
        vendorIds: { id: expect.any(String) },
      },
    ]);
    expect(world.emulator.requests()[0]?.headers).toMatchObject({ 'accept-language': 'en-US,en' });
  });

  test('calls a tool, and continues with its result', async () => {
    const outcome = await ask('[[call add_numbers {"a":2,"b":3}]]', { tools: [ADD] });
    expect(outcome).toMatchObject({ is: 'answered', finish: 'tool_calls' });
    const [call] = outcome.answer.toolCalls;
    expect(call).toMatchObject({ name: 'add_numbers', arguments: '{"a":2,"b":3}' });
    if (!call) return;
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: '[[call add_numbers {"a":2,"b":3}]]' },
      { role: 'assistant', content: '', reasoning: outcome.answer.reasoning, toolCalls: [call] },
      { role: 'tool', toolCallId: call.id, content: '5' },
    ];
    expect(await ask('', { messages, tools: [ADD] })).toMatchObject({
      is: 'answered',
      answer: { text: 'add_numbers answered: 5' },
    });
  });

  test('calls a tool whose arguments came as an object', async () => {
    world.switches['toolArguments'] = 'object';
    const outcome = await ask('[[call add_numbers {"a":2,"b":3}]]', { tools: [ADD] });
    expect(outcome.answer.toolCalls).toMatchObject([{ arguments: '{"a":2,"b":3}' }]);
  });

  test('is searched for, with its sources', async () => {
    const outcome = await ask('What is the weather in Oslo today?', { webSearch: {} });
    expect(outcome).toMatchObject({ is: 'answered', answer: { notices: [] } });
    expect(outcome.answer.citations).toContainEqual({
      title: 'Weather in Oslo',
      url: 'https://weather.example/oslo',
      text: expect.stringContaining('4 degrees'),
      mark: 'ref_1',
      site: 'Example Weather',
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });

  verifies(
    'provider:facts',
    `glm: a search that did not happen is noticed (${delivery})`,
    async () => {
      world.switches['searchIntent'] = 'never';
      const outcome = await ask('The weather in Oslo', { webSearch: {} });
      expect(outcome).toMatchObject({
        is: 'answered',
        answer: {
          text: expect.stringMatching(/^I searched the web\./),
          notices: [notice('search_sources_missing', { model: 'GLM' })],
        },
      });
    },
  );

  verifies('provider:facts', `glm: on bigmodel the search happens (${delivery})`, async () => {
    Object.assign(world.switches, { host: 'bigmodel', searchIntent: 'never' });
    const china = world.with({ site: 'bigmodel' });
    const outcome = await china.ask(
      requestFor('glm-4.6', 'The weather in Oslo', { delivery, webSearch: {} }),
    );
    expect(outcome.answer.citations).not.toEqual([]);
  });

  verifies('provider:facts', `glm: box marks are taken off (${delivery})`, async () => {
    expect((await ask('Say exactly: A <b> c', {}, 'glm-4.5v')).answer.text).toBe('A <b> c');
  });

  verifies(
    'provider:faults',
    `glm F11: an answer withheld is content_filter (${delivery})`,
    async () => {
      world.emulator.fault({ id: 'F11.sensitive' });
      expect(await ask('Say exactly: one two three four five six')).toMatchObject({
        is: 'failed',
        error: { class: 'content_filter', provider: 'glm' },
      });
    },
  );

  verifies('provider:faults', `glm F11: network_error is retryable (${delivery})`, async () => {
    world.emulator.fault({ id: 'F11.network_error' });
    const outcome = await ask('Say exactly: one two three four five six');
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'provider_error' } });
    expect(outcome.answer.text).not.toBe('');
    expect(outcome).toMatchObject({ error: { policy: { retry: 'backoff' } } });
  });

  verifies(
    'provider:faults',
    `glm F11: a full window is length, and told (${delivery})`,
    async () => {
      world.emulator.fault({ id: 'F11.model_context_window_exceeded' });
      const outcome = await ask('Say exactly: one two three four five six');
      expect(outcome).toMatchObject({
        is: 'answered',
        finish: 'length',
        answer: { notices: [notice('window_full', { model: 'GLM' })] },
      });
      expect(outcome.answer.text).not.toBe('');
    },
  );

  verifies(
    'provider:faults',
    `glm F13: thoughts alone are asked for again with thinking off (${delivery})`,
    async () => {
      world.emulator.fault({ id: 'F13' });
      const outcome = await ask('What is 2 + 3?', {});
      expect(outcome).toMatchObject({ is: 'answered', answer: { text: '2 + 3 is 5.' } });
      expect(world.bodies().map((body) => body['thinking'])).toEqual([
        undefined,
        { type: 'disabled' },
      ]);
    },
  );

  verifies(
    'provider:faults',
    `glm F12: fenced JSON comes without its fences (${delivery})`,
    async () => {
      world.emulator.fault({ id: 'F12' });
      const outcome = await ask('Say exactly: {"a": 1}', { responseFormat: NUMBERS });
      expect(outcome).toMatchObject({ is: 'answered', answer: { text: '{"a": 1}' } });
      expect(world.bodies()[0]).toMatchObject({
        response_format: { type: 'json_object' },
        messages: [
          { role: 'system', content: expect.stringContaining('"required":["a"]') },
          { role: 'user' },
        ],
      });
    },
  );

  verifies(
    'provider:faults',
    `glm F12: JSON that never fits is bad_response (${delivery})`,
    async () => {
      world.emulator.fault({ id: 'F12.prose', times: 0 });
      const outcome = await ask('Tell me something.', { responseFormat: NUMBERS });
      expect(outcome).toMatchObject({
        is: 'failed',
        answer: { text: '' },
        error: {
          class: 'bad_response',
          message:
            'GLM gave no answer that fits the schema, asked 3 times: / must be JSON and nothing else.',
        },
      });
      expect(world.bodies()).toHaveLength(3);
    },
  );

  verifies(
    'provider:faults',
    `glm F21: a tool that must be called is asked for once more (${delivery})`,
    async () => {
      const outcome = await ask('Good morning.', {
        tools: [ADD],
        toolChoice: { name: 'add_numbers' },
      });
      expect(outcome).toMatchObject({
        is: 'answered',
        finish: 'tool_calls',
        answer: { text: '', toolCalls: [{ name: 'add_numbers' }] },
      });
      expect(world.bodies()).toHaveLength(2);
      expect(world.bodies().map((body) => body['tool_choice'])).toEqual(['auto', 'auto']);
    },
  );

  verifies(
    'provider:faults',
    `glm F21: tools that must not be called are not given (${delivery})`,
    async () => {
      const outcome = await ask(
        '[[call add_numbers {"a":2,"b":3}]]',
        { tools: [ADD], toolChoice: 'none' },
        'glm-5.3-flash',
      );
      expect(world.bodies()[0]).not.toHaveProperty('tools');
      expect(outcome.answer.notices).toEqual([]);
    },
  );

  test.each<[string, ErrorClass]>([
    ['F1', 'rate_limit'],
    ['F1.daily', 'quota'],
    ['F2', 'billing'],
    ['F2.plan', 'quota'],
    ['F2.model', 'not_configured'],
    ['F3', 'overloaded'],
    ['F3.busy', 'overloaded'],
    ['F3.network', 'provider_error'],
    ['F10', 'not_found'],
    ['F11.blocked', 'content_filter'],
    ['F16', 'auth'],
  ])('fails by fault %s as %s', async (id, expected) => {
    world.emulator.fault({ id });
    const outcome = await ask('Hi there');
    expect(outcome).toMatchObject({
      is: 'failed',
      error: { class: expected, provider: 'glm', model: 'glm-4.6' },
    });
    // English, because we asked for it.
    expect(outcome).toMatchObject({
      error: { message: expect.not.stringMatching(/\p{Script=Han}/u) },
    });
  });
});
