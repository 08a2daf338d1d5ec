import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import { anthropic, CHAT, MESSAGES, openai, post as postTo, type Post } from './gateway-post.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness();
}, CLIENT_MS);
afterAll(() => harness?.close());

const post = (path: string, body: string | Buffer, more: Post = {}) =>
  postTo(harness.url + path, { body, ...more });

/**
 * What is wrong, the status and, where it is about one, the member of the body that the answer must
 * name.
 */
type Wrong = readonly [what: string, body: string, status: number, names: string];

const functionTool = (parts: object) => ({ tools: [{ type: 'function', function: parts }] });
const schema = (json_schema: unknown) => ({
  response_format: { type: 'json_schema', json_schema },
});
const NOWHERE = { type: 'object', properties: { x: { $ref: '#/$defs/nosuch' } } };
const said = (content: unknown) => ({ messages: [{ role: 'user', content }] });

const WRONG_FOR_OPENAI: readonly Wrong[] = [
  ['no JSON', '{"model": "auto", ', 400, 'JSON'],
  ['an empty body', '', 400, 'JSON'],
  ['a list', '[]', 400, ''],
  ['null', 'null', 400, ''],
  ['no messages', JSON.stringify({ model: 'auto' }), 400, 'messages'],
  ['an empty conversation', openai({ messages: [] }), 400, 'messages'],
  ['messages that are a text', openai({ messages: 'Hello' }), 400, 'messages'],
  ['a role that nobody has', openai({ messages: [{ role: 'pope', content: 'x' }] }), 400, 'role'],
  ['a number as content', openai(said(7)), 400, 'content'],
  ['an unknown part', openai(said([{ type: 'smell', smell: 'x' }])), 400, 'content'],
  ['both limits, which differ', openai({ max_tokens: 5, max_completion_tokens: 6 }), 400, 'max_'],
  ['a limit below 1', openai({ max_tokens: 0 }), 400, 'max_tokens'],
  ['a limit that is a text', openai({ max_tokens: 'many' }), 400, 'max_tokens'],
  ['a schema without a schema', openai(schema({ name: 'x' })), 400, 'json_schema'],
  ['a schema that is a text', openai(schema({ name: 'x', schema: 'object' })), 400, 'schema'],
  [
    'a schema with a reference that leads nowhere',
    openai(schema({ name: 'x', schema: NOWHERE })),
    400,
    'schema.properties.x.$ref',
  ],
  [
    'a tool whose schema refers to itself',
    openai(functionTool({ name: 'x', parameters: { $ref: '#' } })),
    400,
    'tools[0].function.parameters',
  ],
  ['no json_schema at all', openai(schema(undefined)), 400, 'json_schema'],
  [
    'a format that nobody has',
    openai({ response_format: { type: 'xml' } }),
    400,
    'response_format',
  ],
  ['a tool without a name', openai(functionTool({ parameters: {} })), 400, 'name'],
  ['a tool with an empty name', openai(functionTool({ name: '' })), 400, 'name'],
  ['tools that are an object', openai({ tools: { name: 'x' } }), 400, 'tools'],
  [
    'a choice of a tool that is not offered',
    openai({
      ...functionTool({ name: 'one' }),
      tool_choice: { type: 'function', function: { name: 'two' } },
    }),
    400,
    'tool_choice',
  ],
  [
    'a result without its call',
    openai({
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'tool', content: 'x' },
      ],
    }),
    400,
    'tool_call_id',
  ],
  ['n below 1', openai({ n: 0 }), 400, 'n'],
  ['a thousand answers', openai({ n: 1_000 }), 400, 'n'],
  ['a temperature that is a text', openai({ temperature: 'hot' }), 400, 'temperature'],
  ['stream that is a text', openai({ stream: 'yes' }), 400, 'stream'],
  ['a model that is a number', openai({ model: 7 }), 400, 'model'],
  ['a model that nobody knows', openai({ model: 'no-such-model' }), 404, 'no-such-model'],
  ['a model named as a prototype', openai({ model: '__proto__' }), 404, '__proto__'],
  [
    'a picture that is no address',
    openai(said([{ type: 'image_url', image_url: { url: 'x' } }])),
    400,
    'url',
  ],
];

const WRONG_FOR_ANTHROPIC: readonly Wrong[] = [
  ['no JSON', '{"model": "auto", ', 400, 'JSON'],
  ['a list', '[]', 400, ''],
  ['no messages', JSON.stringify({ model: 'auto', max_tokens: 9 }), 400, 'messages'],
  ['an empty conversation', anthropic({ messages: [] }), 400, 'messages'],
  ['no limit', anthropic({ max_tokens: undefined }), 400, 'max_tokens'],
  ['a limit below 1', anthropic({ max_tokens: 0 }), 400, 'max_tokens'],
  [
    'a role that nobody has',
    anthropic({ messages: [{ role: 'pope', content: 'x' }] }),
    400,
    'role',
  ],
  ['an unknown block', anthropic(said([{ type: 'smell' }])), 400, 'content'],
  [
    'a tool without a name',
    anthropic({ tools: [{ input_schema: { type: 'object' } }] }),
    400,
    'name',
  ],
  ['a tool without a schema', anthropic({ tools: [{ name: 'x' }] }), 400, 'input_schema'],
  [
    'a tool whose schema has a reference that leads nowhere',
    anthropic({ tools: [{ name: 'x', input_schema: NOWHERE }] }),
    400,
    'input_schema.properties.x.$ref',
  ],
  [
    'a picture without data',
    anthropic(said([{ type: 'image', source: { type: 'base64' } }])),
    400,
    'source',
  ],
  ['a model that nobody knows', anthropic({ model: 'no-such-model' }), 404, 'no-such-model'],
];

describe('what is wrong with a request is said in the words of the API that was asked', () => {
  test.each(WRONG_FOR_OPENAI)('OpenAI: %s', async (_what, body, status, names) => {
    const asked = harness.emulator.requests().length;
    const answer = await post(CHAT, body);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringContaining('application/json'),
    ]);
    const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      message: expect.any(String),
      type: 'invalid_request_error',
      code: expect.any(String),
    });
    expect(`${String(error['message'])} ${String(error['param'])}`).toContain(names);
    expect(answer.headers['x-exai-req-id']).toMatch(/^req_/);
    expect(harness.emulator.requests().length).toBe(asked);
  });

  test.each(WRONG_FOR_ANTHROPIC)('Anthropic: %s', async (_what, body, status, names) => {
    const asked = harness.emulator.requests().length;
    const answer = await post(MESSAGES, body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      type: 'error',
      error: {
        type: status === 404 ? 'not_found_error' : 'invalid_request_error',
        message: expect.stringContaining(names),
      },
      request_id: answer.headers['x-exai-req-id'],
    });
    expect(harness.emulator.requests().length).toBe(asked);
  });

  test.each([CHAT, MESSAGES])(
    'a stream that cannot begin is refused by its status: %s',
    async (path) => {
      const body = { model: 'no-such-model', max_tokens: 9, stream: true };
      const answer = await post(path, openai(body));
      expect([answer.status, answer.headers['content-type']]).toEqual([
        404,
        expect.stringContaining('application/json'),
      ]);
    },
  );

  verifies('gateway:bad-input', 'a key that nobody was given', async () => {
    const bearer = await post(CHAT, openai(), { headers: { authorization: 'Bearer sk-unknown' } });
    expect(bearer.status).toBe(401);
    expect(JSON.parse(bearer.text)).toMatchObject({ error: { code: 'invalid_api_key' } });
    const own = await post(MESSAGES, anthropic(), { headers: { 'x-api-key': 'sk-unknown' } });
    expect(own.status).toBe(401);
    expect(JSON.parse(own.text)).toMatchObject({ error: { type: 'authentication_error' } });
  });

  verifies(
    'gateway:bad-input',
    'the wrong method, the wrong type of body, and a path that is not there',
    async () => {
      const wrongMethod = await post(CHAT, '', { method: 'GET' });
      const wrongType = await post(CHAT, openai(), { headers: { 'content-type': 'text/plain' } });
      const nowhere = await post('/v1/nothing', openai());
      expect([wrongMethod.status, wrongType.status, nowhere.status]).toEqual([405, 400, 404]);
      for (const { text } of [wrongMethod, wrongType, nowhere])
        expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
    },
  );

  verifies('gateway:bad-input', 'wishes that the header fields of ours do not have', async () => {
    for (const [name, value] of [
      ['x-exai-fallback', 'perhaps'],
      ['x-exai-continue', 'maybe'],
      ['x-exai-prefer', 'beauty'],
      ['x-exai-max-cost-usd', 'cheap'],
    ] as const) {
      const answer = await post(CHAT, openai(), { headers: { [name]: value } });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(name)]);
    }
  });

  verifies('gateway:bad-input', 'JSON that is nested beyond reason', async () => {
    const deep = `{"model":"auto","messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await post(CHAT, deep)).status).toBe(413);
    expect((await post(CHAT, openai())).status).toBe(200);
  });

  verifies('gateway:bad-input', 'a prompt of 10 MB, which no model has room for', async () => {
    const content = 'one more word '.repeat(750_000);
    const body = openai({ messages: [{ role: 'user', content }] });
    expect(body.length).toBeGreaterThan(10_000_000);
    const answer = await post(CHAT, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'context_length_exceeded' } });
    const own = await post(MESSAGES, anthropic({ messages: [{ role: 'user', content }] }));
    expect([own.status, own.text]).toEqual([400, expect.stringMatching(/prompt is too long/i)]);
  });

  verifies('gateway:bad-input', 'a body over the limit, which is not even read', async () => {
    const body = Buffer.alloc(40_000_000, 0x20);
    const outcome = await post(CHAT, body).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    // A client that writes all of it before it reads may find the connection closed.
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(outcome);
    expect((await post(CHAT, openai())).status).toBe(200);
  });
});
