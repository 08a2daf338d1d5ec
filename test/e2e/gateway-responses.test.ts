import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import { anthropic, CHAT, MESSAGES, open, openai, post, untilReceived } from './gateway-post.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

const RESPONSES = '/v1/responses';
const ORIGIN = 'app://obsidian.md';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness({
    config: {
      listener: { origins: [ORIGIN, 'https://chat.example/'], hosts: ['host.docker.internal'] },
      gateway: { cacheMs: 60_000 },
    },
  });
}, CLIENT_MS);
afterAll(() => harness?.close());

const NOTHING = { body: {} };

const ask = (more: object = {}) => JSON.stringify({ input: 'Say exactly: Hello', ...more });

async function send(
  path: string,
  body = '',
  headers: Record<string, string> = {},
  method = 'POST',
) {
  const answer = await post(harness.url + path, { body, headers, method });
  const json = () => JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  return { ...answer, json };
}

async function addKey(name: string): Promise<Record<string, string>> {
  const { stdout } = await harness.exai('access', 'add', name, '--scope', 'gateway_*');
  return { authorization: `Bearer ${stdout.trim()}` };
}

verifies(
  'responses:stored',
  'a response belongs to its client, and outlives its request',
  async () => {
    const [ann, bob] = [await addKey('ann'), await addKey('bob')];
    const { id } = (await send(RESPONSES, ask({ metadata: { a: 'b' } }), ann)).json() as {
      id: string;
    };
    const at = `${RESPONSES}/${id}`;
    expect((await send(at, '', ann, 'GET')).json()).toMatchObject({ id, metadata: { a: 'b' } });
    for (const [path, method] of [
      [at, 'GET'],
      [at, 'DELETE'],
      [`${at}/input_items`, 'GET'],
      [`${at}/cancel`, 'POST'],
    ] as const) {
      const foreign = await send(path, '', bob, method);
      expect([foreign.status, foreign.text.includes('Hello')]).toEqual([404, false]);
    }
    const continued = await send(RESPONSES, ask({ previous_response_id: id }), bob);
    expect([continued.status, continued.json()['error']]).toMatchObject([
      400,
      { code: 'previous_response_not_found', param: 'previous_response_id' },
    ]);
    const item = { type: 'item_reference', id: `msg_${id.slice(5)}_0` };
    const own = await send(
      RESPONSES,
      ask({ input: [item, { role: 'user', content: 'Go.' }] }),
      ann,
    );
    expect(own.status).toBe(200);
    const stolen = await send(
      RESPONSES,
      ask({ input: [item, { role: 'user', content: 'x' }] }),
      bob,
    );
    expect(stolen.status).toBe(404);
    expect((await send(at, '', ann, 'DELETE')).json()).toMatchObject({ id, deleted: true });
    expect((await send(at, '', ann, 'GET')).status).toBe(404);
    const unstored = (await send(RESPONSES, ask({ store: false }), ann)).json() as { id: string };
    expect((await send(`${RESPONSES}/${unstored.id}`, '', ann, 'GET')).status).toBe(404);
  },
);

verifies('responses:stored', 'a chain gives the model all that came before', async () => {
  const first = (await send(RESPONSES, ask({ input: 'My name is Ada.' }))).json() as { id: string };
  const body = ask({ previous_response_id: first.id, model: 'kimi-k2.6', instructions: 'Short.' });
  await send(RESPONSES, body);
  const [asked] = harness.emulator.requests({ last: 1 });
  const { messages: roles } = (asked ?? NOTHING).body as {
    messages: { role: string; content: string }[];
  };
  expect(roles.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(roles[1]?.content).toBe('My name is Ada.');
});

verifies('responses:stored', 'a chain with a deleted response is told as such', async () => {
  const first = (await send(RESPONSES, ask())).json() as { id: string };
  const later = ask({ previous_response_id: first.id });
  const second = (await send(RESPONSES, later)).json() as { id: string };
  await send(`${RESPONSES}/${first.id}`, '', {}, 'DELETE');
  const refused = await send(RESPONSES, ask({ previous_response_id: second.id }));
  expect([refused.status, refused.json()['error']]).toMatchObject([
    400,
    {
      code: 'previous_response_not_found',
      message: expect.stringContaining(
        `"${second.id}" continues a response that was deleted`,
      ) as string,
    },
  ]);
});

verifies(
  'responses:bad-input',
  'huge input, half-read streams and wrong paths do no harm',
  async () => {
    const huge = await send(RESPONSES, ask({ input: 'word '.repeat(2_100_000) }));
    expect([huge.status, huge.json()['error']]).toMatchObject([
      400,
      {
        code: 'context_length_exceeded',
        message: expect.stringMatching(
          /^This model's maximum context length is \d+ tokens\. /,
        ) as string,
      },
    ]);
    const body = JSON.stringify({ input: 'Go. [[tokens 4000]]', stream: true, model: 'kimi-k2.6' });
    const socket = await open(harness.url + RESPONSES, body);
    await untilReceived(socket, /response\.output_text\.delta/);
    socket.destroy();
    expect((await send(RESPONSES, ask())).status).toBe(200);
    for (const [path, method, status] of [
      [RESPONSES, 'GET', 405],
      [`${RESPONSES}/x/y`, 'GET', 404],
      [`${RESPONSES}/resp_%2e%2e`, 'GET', 404],
      [`${RESPONSES}/x/input_items/y`, 'GET', 404],
    ] as const) {
      expect((await send(path, '', {}, method)).status).toBe(status);
    }
    expect((await send(RESPONSES, '{"input": ')).json()['error']).toMatchObject({
      type: 'invalid_request_error',
    });
    const tokens = await send(`${RESPONSES}/input_tokens`, ask());
    expect(tokens.json()).toMatchObject({ object: 'response.input_tokens' });
  },
);

verifies('gateway:completions', 'a prompt is answered whole and as a stream', async () => {
  const body = { model: 'auto', prompt: ['Say exactly: Hello'], echo: true };
  const whole = (await send('/v1/completions', JSON.stringify(body))).json();
  expect(whole).toMatchObject({
    object: 'text_completion',
    choices: [{ text: 'Say exactly: HelloHello', finish_reason: 'stop' }],
  });
  const streamed = await send('/v1/completions', JSON.stringify({ ...body, stream: true }));
  expect(streamed.text).toMatch(/"text":"Say exactly: Hello.*data: \[DONE\]\n\n$/s);
  for (const wrong of [
    { prompt: [1, 2] },
    { prompt: ['a', 'b'] },
    { prompt: '' },
    { suffix: 'x' },
  ]) {
    const refused = await send('/v1/completions', JSON.stringify({ ...body, ...wrong }));
    expect(refused.status).toBe(400);
  }
});

verifies('gateway:aliases', 'known names work, and the answer says what they mean', async () => {
  for (const [name, means] of [
    ['gpt-4o', 'auto'],
    ['o3', 'auto'],
    ['gemini-3-pro', 'auto'],
    ['gpt-5-mini', 'glm-4.7-flash'],
    ['claude-haiku-4-5', 'glm-4.7-flash'],
    ['speed', 'glm-4.7-flash'],
  ]) {
    const { status, headers, json } = await send(CHAT, openai({ model: name }));
    expect([status, headers['x-exai-alias']]).toEqual([200, `${name}=${means}`]);
    expect(json()['exai']).toMatchObject({ alias: { name, model: means } });
  }
  const streamed = await send(CHAT, openai({ model: 'gpt-4o', stream: true }));
  expect(streamed.headers['x-exai-alias']).toBe('gpt-4o=auto');
  expect((await send('/v1/models/gpt-5-nano', '', {}, 'GET')).status).toBe(200);
  const vectors = JSON.stringify({ model: 'gemini-embedding-001', input: 'x' });
  expect((await send('/v1/embeddings', vectors)).status).toBe(404);
});

verifies('gateway:idempotency', 'a repeated key gives the same answer', async () => {
  const headers = { 'idempotency-key': 'abc' };
  const [first, second] = await Promise.all([
    send(RESPONSES, ask(), headers),
    send(RESPONSES, ask(), headers),
  ]);
  const third = await send(RESPONSES, ask(), headers);
  expect(second.text).toBe(first.text);
  expect([third.text, third.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const other = await send(RESPONSES, ask({ store: false }), headers);
  expect([other.status, other.json()['error']]).toMatchObject([409, { param: 'idempotency-key' }]);
});

verifies('gateway:cache', 'the setting reuses an answer, and says so', async () => {
  const body = openai({ seed: 4711 });
  const first = await send(CHAT, body);
  const second = await send(CHAT, body);
  expect([first, second].map(({ headers }) => headers['x-exai-cache'])).toEqual(['miss', 'hit']);
  expect(second.text).toBe(first.text);
});

verifies('gateway:cors', 'a page of an allowed origin may use the SDKs', async () => {
  const wanted =
    'authorization, content-type, x-api-key, anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access, x-stainless-os, x-stainless-retry-count, openai-organization, idempotency-key, x-exai-prefer';
  for (const origin of [ORIGIN, 'https://chat.example']) {
    const preflight = await send(
      MESSAGES,
      '',
      { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': wanted },
      'OPTIONS',
    );
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      origin,
    ]);
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ');
    expect(wanted.split(', ').filter((name) => !allowed.includes(name))).toEqual([]);
    const answer = await send(CHAT, openai(), { origin });
    expect(String(answer.headers['access-control-expose-headers'])).toContain('x-exai-model');
  }
  const foreign = await send(CHAT, openai(), { origin: 'app://other.md' });
  expect(foreign.status).toBe(403);
  expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
});

test('every answer has a request id, and limits are told truthfully', async () => {
  for (const path of ['/v1/files', '/v1/audio/speech', '/nothing', CHAT]) {
    const { headers } = await send(path, openai({ seed: 1 }));
    expect(headers['x-request-id']).toBe(headers['x-exai-req-id']);
  }
  const { headers } = await send(CHAT, openai());
  expect(headers['x-ratelimit-limit-requests']).toBe('24');
  expect(Number(headers['x-ratelimit-remaining-requests'])).toBeLessThan(24);
});

test('a slash too many, and further host names, are accepted', async () => {
  for (const path of [
    '/v1/chat/completions/',
    '/v1//chat/completions',
    '/v1/messages/?beta=true',
  ]) {
    const body = path.includes('messages') ? anthropic() : openai();
    expect([path, (await send(path, body)).status]).toEqual([path, 200]);
  }
  expect((await send(CHAT, openai(), { host: 'host.docker.internal' })).status).toBe(200);
  expect((await send(CHAT, openai(), { host: 'evil.example' })).status).toBe(403);
});

verifies('gateway:threads-refused', 'threads are refused in the words of the API', async () => {
  const { status, json } = await send(MESSAGES, anthropic({ thread: { type: 'create' } }));
  expect([status, json()]).toMatchObject([
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
      },
    },
  ]);
});

verifies(
  'gateway:client-tools',
  'bash, the editor, memory and the computer are tools',
  async () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      {
        type: 'computer_20250124',
        name: 'computer',
        display_width_px: 800,
        display_height_px: 600,
      },
    ];
    const messages = [{ role: 'user', content: 'Go. [[call bash {"command":"ls"}]]' }];
    const { json } = await send(MESSAGES, anthropic({ tools, messages, model: 'kimi-k2.6' }));
    expect(json()['content']).toContainEqual(
      expect.objectContaining({ type: 'tool_use', name: 'bash', input: { command: 'ls' } }),
    );
    const [asked] = harness.emulator.requests({ last: 1 });
    expect(((asked ?? NOTHING).body as { tools: unknown[] }).tools).toHaveLength(4);
  },
);

test('Anthropic’s list of models has pages, and tokens of unknown models are not counted', async () => {
  const headers = { 'anthropic-version': '2023-06-01' };
  const page = async (query: string) =>
    (await send(`/v1/models?${query}`, '', headers, 'GET')).json() as unknown as {
      data: { id: string }[];
      has_more: boolean;
      last_id: string;
    };
  const first = await page('limit=2');
  expect([first.data.length, first.has_more]).toEqual([2, true]);
  const next = await page(`limit=2&after_id=${first.last_id}`);
  expect(next.data[0]?.id).not.toBe(first.last_id);
  const count = (model: string) => send(`${MESSAGES}/count_tokens`, anthropic({ model }), headers);
  expect((await count('no-such-model')).status).toBe(404);
  expect((await count('claude-opus-5')).status).toBe(200);
});
