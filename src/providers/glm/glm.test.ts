import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { ADD, NUMBERS, requestFor, saying, scripted, useGlmWorld } from './glm.fixture.ts';

const world = useGlmWorld();

describe('an error inside a stream', () => {
  test.each(['unnamed', 'named'])('is an error, %s', async (errorEvent) => {
    world.switches['errorEvent'] = errorEvent;
    world.emulator.fault({ id: 'F11.error', after: 6 });
    const outcome = await world.ask(
      requestFor('glm-4.6', 'Say exactly: one two three four five six seven eight', {
        delivery: 'stream',
        thinking: { mode: 'off' },
      }),
    );
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'provider_error' } });
    expect(outcome.answer.text).toMatch(/^one/);
  });
});

test('flat errors with numbers are read, too', async () => {
  world.switches['errorShape'] = 'flat';
  world.emulator.fault({ id: 'F2' });
  expect(await world.ask(requestFor('glm-4.6', 'Hi'))).toMatchObject({
    error: { class: 'billing' },
  });
});

test('an answer is repaired by the model itself when it gets the violation', async () => {
  const { ask, sent } = scripted([saying('{"a":"one"}'), saying('```json\n{"a":1}\n```')]);
  expect(await ask(requestFor('glm-4.6', 'One?', { responseFormat: NUMBERS }))).toMatchObject({
    is: 'answered',
    answer: {
      text: '{"a":1}',
      usage: { input: 10, output: 6 },
      notices: [
        notice('asked_again', {
          model: 'GLM',
          reason: 'schema',
          path: '/a',
          problem: 'must be number',
        }),
      ],
    },
  });
  expect(sent()[1]?.['response_format']).toEqual({ type: 'json_object' });
});

test('reasoning without an answer is retried first, and JSON is still checked afterwards', async () => {
  const { ask, requests } = scripted([
    saying(null, 'length', { reasoning_content: 'Hm.' }),
    saying('no'),
    saying('{"a":1}'),
  ]);
  const outcome = await ask(requestFor('glm-4.6', 'One?', { responseFormat: NUMBERS }));
  expect(outcome).toMatchObject({ is: 'answered', answer: { text: '{"a":1}' } });
  expect(requests).toHaveLength(3);
});

test('the coding path is charged to the plan, and has chat alone', async () => {
  const { ask, provider, context } = world.with({
    baseUrl: `${world.emulator.url}/glm/api/coding/paas/v4/`,
  });
  expect(await ask(requestFor('glm-4.6', 'Say exactly: yes'))).toMatchObject({
    answer: { text: 'yes' },
  });
  await provider.search?.({ query: 'weather in Oslo' }, context);
  expect(world.emulator.requests().map(({ path }) => path)).toEqual([
    '/glm/api/coding/paas/v4/chat/completions',
    '/glm/api/paas/v4/web_search',
  ]);
});

test('a caller that leaves in the middle ends the exchange and frees the connection', async () => {
  const { provider, context, controller, exchanges, clock } = world.with({});
  const events = provider.chat(
    requestFor('glm-4.6', '[[tokens 20000]]', { delivery: 'stream', thinking: { mode: 'off' } }),
    context,
  );
  let texts = 0;
  const reading = (async () => {
    for await (const event of events) {
      if (event.type === 'text' && ++texts === 3) controller.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ class: 'cancelled' });
  expect(exchanges).toMatchObject([{ outcome: 'cancelled', status: 200 }]);
  expect(clock.waiting).toBe(0);
  await expect.poll(() => world.emulator.requests()[0]?.left).toBe(true);
});

test('a call of a tool as plain text is a call', async () => {
  world.emulator.fault({ id: 'F8.text' });
  const outcome = await world.ask(
    requestFor('glm-4.5-flash', '[[call add_numbers {"a":2,"b":3}]]', {
      delivery: 'stream',
      tools: [ADD],
    }),
  );
  expect(outcome).toMatchObject({
    is: 'answered',
    finish: 'tool_calls',
    answer: { text: '', toolCalls: [{ name: 'add_numbers', arguments: '{"a":2,"b":3}' }] },
  });
});

test('an answer that the connection cut is interrupted, and kept as far as it came', async () => {
  world.emulator.fault({ id: 'F5.cut', after: 4 });
  const outcome = await world.ask(
    requestFor('glm-4.6', 'Say exactly: one two three four five six seven eight', {
      delivery: 'stream',
      thinking: { mode: 'off' },
    }),
  );
  expect(outcome).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
  expect(outcome.answer.text).toMatch(/^one/);
});

test('what the vendor does not count is estimated', async () => {
  world.emulator.fault({ id: 'F7.missing' });
  expect(await world.ask(requestFor('glm-4.6', 'Hi there'))).toMatchObject({
    is: 'answered',
    answer: { usage: { estimated: true } },
  });
});

verifies('provider:facts', 'glm: a cap that a refusal names is kept to', async () => {
  world.switches['visionMaxTokens'] = 16_384;
  const outcome = await world.ask(
    requestFor('glm-4.6v', 'Say exactly: yes', { maxOutputTokens: 30_000 }),
  );
  expect(outcome).toMatchObject({
    is: 'answered',
    answer: {
      text: 'yes',
      notices: [{ code: 'max_tokens_lowered', params: { limit: 16_384, reason: 'refused' } }],
    },
  });
});

test('a picture is seen by a model that sees', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const outcome = await world.ask(
    requestFor('glm-4.6v', '', {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { base64: png, mediaType: 'image/png' } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    }),
  );
  expect(outcome).toMatchObject({
    is: 'answered',
    answer: { text: expect.stringContaining('image/png') },
  });
});

test('it lists its capabilities, and has no others', () => {
  const china = world.with({ site: 'bigmodel' }).provider;
  expect(world.provider.capabilities).not.toContain('file_content');
  expect('fileContent' in world.provider).toBe(false);
  expect(china.capabilities).toContain('file_content');
  expect('fileContent' in china).toBe(true);
  expect('balance' in china).toBe(false);
});
