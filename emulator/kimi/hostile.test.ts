import fc from 'fast-check';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kimi, WEATHER } from '../emulator.fixture.ts';
import { startEmulator, type Emulator } from '../start.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({});
});
afterAll(() => emulator.close());

const NAMES =
  'model messages tools tool_choice thinking stop stream stream_options response_format temperature n max_tokens max_completion_tokens prompt_cache_key prompt_cache_options reasoning_effort'.split(
    ' ',
  );

const GOOD = {
  model: 'kimi-k2.6',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [WEATHER],
};

test('no body makes the emulator itself fail', async () => {
  const { post } = kimi(emulator);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(
        '/chat/completions',
        '/tokenizers/estimate-token-count',
        '/responses',
        '/caching',
        '/formulas/moonshot/date:latest/fibers',
      ),
      async (name, value, path) => {
        const { status } = await post(path, { ...GOOD, [name]: value });
        expect(status).toBeLessThan(500);
      },
    ),
    { numRuns: 300 },
  );
});

test('messages and parts of any shape are answered or refused', async () => {
  const { post } = kimi(emulator);
  const part = fc.record(
    {
      type: fc.constantFrom('text', 'image_url', 'video_url', 'x'),
      text: fc.jsonValue(),
      image_url: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  );
  const message = fc.record(
    {
      role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'cache'),
      content: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(part, { maxLength: 3 }),
        fc.jsonValue(),
      ),
      tool_calls: fc.jsonValue(),
      tool_call_id: fc.jsonValue(),
      tools: fc.jsonValue(),
      partial: fc.boolean(),
      reasoning_content: fc.jsonValue(),
    },
    { requiredKeys: ['role'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 4 }), async (messages) => {
      const { status } = await post('/chat/completions', { ...GOOD, model: 'kimi-k3', messages });
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 300 },
  );
});

test('schemas that contain themselves and huge names end', async () => {
  const { chat } = kimi(emulator);
  const schema = {
    type: 'object',
    properties: {
      self: { $ref: '#' },
      list: { type: 'array', items: { $ref: '#/properties/list' }, minItems: 3 },
    },
    required: ['self', 'list'],
  };
  const answer = await chat('x', {
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  });
  expect(answer.status).toBe(200);
  expect((await chat('x', { model: 'm'.repeat(100_000) })).status).toBe(404);
  expect((await chat('<file name="a">'.repeat(20_000))).status).toBe(200);
  expect((await chat('[[call '.repeat(20_000))).status).toBe(200);
});

test('a client that leaves in the middle of its upload leaves nothing behind', async () => {
  const socket = connect(emulator.port, '127.0.0.1');
  await new Promise((resolve) => {
    socket.once('connect', resolve);
  });
  socket.write('POST /kimi/v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nabc');
  await new Promise((resolve) => {
    socket.once('close', resolve);
    socket.destroy();
  });
  expect((await kimi(emulator).get('/models')).status).toBe(200);
});
