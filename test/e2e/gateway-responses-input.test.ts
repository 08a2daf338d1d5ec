/** What clients of the Responses API send that is wrong, foreign, huge or broken off. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import { open, post, untilReceived } from './gateway-post.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

const RESPONSES = '/v1/responses';
const UNKNOWN = `resp_${'0'.repeat(48)}`;

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness({ config: { budget: { clients: ['dora=0.5'] } } });
}, CLIENT_MS);
afterAll(() => harness?.close());

async function send(body: object | string, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await post(harness.url + RESPONSES, { body: text, headers });
  return { ...answer, json: () => JSON.parse(answer.text) as Readonly<Record<string, unknown>> };
}

const tool = (more: object = {}) => ({ type: 'function', name: 'read', parameters: {}, ...more });
const user = (content: unknown) => ({ input: [{ role: 'user', content }] });
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

type Wrong = readonly [what: string, body: object | string, status: number, param: string | null];

const WRONG: readonly Wrong[] = [
  ['no JSON', '{"input": ', 400, 'body'],
  ['a list', '[]', 400, 'body'],
  ['no input', {}, 400, 'input'],
  ['an empty list', { input: [] }, 400, 'input'],
  ['a number as input', { input: 7 }, 400, 'input'],
  ['an item that is a text', { input: ['x'] }, 400, 'input[0]'],
  ['an unknown item', { input: [{ type: 'smell' }] }, 400, 'input[0].type'],
  ['an unknown role', { input: [{ role: 'pope', content: 'x' }] }, 400, 'input[0].role'],
  ['an unknown part', user([{ type: 'input_smell' }]), 400, 'input[0].content[0].type'],
  [
    'an image that was not uploaded',
    user([{ type: 'input_image', file_id: 'file-1' }]),
    404,
    'input[0].content[0]',
  ],
  [
    'a file that was not uploaded',
    user([{ type: 'input_file', file_id: 'file-1' }]),
    404,
    'input[0].content[0]',
  ],
  [
    'an output without its call',
    { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
    400,
    'input[0]',
  ],
  [
    'a call without its output',
    { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] },
    400,
    'input[0]',
  ],
  ['an unknown item id', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 404, 'input[0].id'],
  ['background', { input: 'x', background: true }, 400, 'background'],
  ['a conversation', { input: 'x', conversation: 'conv_1' }, 400, 'conversation'],
  ['a prompt template', { input: 'x', prompt: { id: 'p' } }, 400, 'prompt'],
  ['moderation', { input: 'x', moderation: {} }, 400, 'moderation'],
  ['an id that is none', { input: 'x', previous_response_id: 'x' }, 400, 'previous_response_id'],
  [
    'an unknown response',
    { input: 'x', previous_response_id: UNKNOWN },
    400,
    'previous_response_id',
  ],
  ['too many tokens', { input: 'x', max_output_tokens: 100_000_000 }, 400, 'max_output_tokens'],
  ['no tokens', { input: 'x', max_output_tokens: 0 }, 400, 'max_output_tokens'],
  ['a hosted tool', { input: 'x', tools: [{ type: 'file_search' }] }, 400, 'tools[0].type'],
  ['two tools of a name', { input: 'x', tools: [tool(), tool()] }, 400, 'tools[1].name'],
  ['a choice of no tool', { input: 'x', tool_choice: 'required' }, 400, 'tool_choice'],
  ['an unknown effort', { input: 'x', reasoning: { effort: 'huge' } }, 400, 'reasoning.effort'],
  ['an unknown format', { input: 'x', text: { format: { type: 'xml' } } }, 400, 'text.format.type'],
  ['a model that is unknown', { input: 'x', model: 'no-such-model' }, 404, 'model'],
  [
    'a schema that is too deep',
    `{"input":"x","tools":[{"type":"function","name":"f","parameters":${deep(500)}}]}`,
    400,
    'tools[0].parameters',
  ],
  ['a body that is too deep', `{"input":"x","metadata":${deep(100_000)}}`, 413, 'body'],
];

describe('what is wrong with a request for a response is said in the words of OpenAI', () => {
  test.each(WRONG)('%s', async (_what, body, status, param) => {
    const answer = await send(body);
    expect([answer.status, answer.json()['error']]).toMatchObject([
      status,
      { type: 'invalid_request_error', param },
    ]);
    expect(answer.headers['x-request-id']).toBe(answer.headers['x-exai-req-id']);
  });

  verifies('responses:bad-input', 'fields that nobody knows are named in a notice', async () => {
    const { status, json } = await send({ input: 'Say exactly: Hello', fancy: 1, store: false });
    expect([status, json()['exai']]).toMatchObject([
      200,
      { notices: [expect.stringContaining('fancy') as string] },
    ]);
  });
});

verifies('responses:bad-input', 'a stored response is not streamed again', async () => {
  const { id } = (await send({ input: 'Say exactly: Hello' })).json() as { id: string };
  const url = `${harness.url}${RESPONSES}/${id}`;
  const again = await post(`${url}?stream=true`, { method: 'GET' });
  expect([again.status, JSON.parse(again.text)]).toMatchObject([
    400,
    { error: { param: 'stream' } },
  ]);
  const cancelled = await post(`${url}/cancel`, { body: '' });
  expect(cancelled.status).toBe(400);
  const compacted = await post(`${harness.url}${RESPONSES}/compact`, { body: '{}' });
  expect(compacted.status).toBe(404);
});

verifies(
  'responses:disconnect',
  'a client that leaves in mid-stream leaves the vendor',
  async () => {
    harness.emulator.fault({ id: 'slow', vendor: 'kimi', with: { chunkMs: 60 } });
    const body = { model: 'kimi-k2.6', stream: true, input: 'Go. [[tokens 900]]' };
    const socket = await open(harness.url + RESPONSES, JSON.stringify(body));
    await untilReceived(socket, /response\.output_text\.delta/);
    socket.destroy();
    await expect
      .poll(() => harness.emulator.requests({ vendor: 'kimi', last: 1 })[0]?.left)
      .toBe(true);
    harness.emulator.reset();
  },
);

verifies('responses:grammar', 'a stream that fails ends with its failure alone', async () => {
  harness.emulator.fault({ id: 'F5.cut', vendor: 'kimi', after: 14 });
  const words = Array.from({ length: 60 }, (_, number) => `word${number}`).join(' ');
  const input = `Say exactly: ${words} [[think 3]]`;
  const headers = { 'x-exai-continue': 'false' };
  const { text } = await send({ model: 'kimi-k2.6', stream: true, input }, headers);
  harness.emulator.reset();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { type: string; sequence_number: number },
  );
  expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
  const types = events.map(({ type }) => type);
  expect(types.slice(-2)).toEqual(['error', 'response.failed']);
  expect(types).not.toContain('response.completed');
  expect(types).not.toContain('response.output_text.done');
  expect(events.at(-1)).toMatchObject({
    response: { status: 'failed', error: { code: 'interrupted' } },
  });
});

verifies(
  'gateway:limits-told',
  'a client learns its budget, and how long OpenAI’s part took',
  async () => {
    const { stdout } = await harness.exai('access', 'add', 'dora', '--scope', 'gateway_*');
    const key = { authorization: `Bearer ${stdout.trim()}` };
    const { headers } = await send({ input: 'Say exactly: Hello', model: 'kimi-k3' }, key);
    expect(Number(headers['x-exai-budget-remaining-usd'])).toBe(0.5);
    expect(headers['openai-version']).toBe('2020-10-01');
    expect(headers['openai-processing-ms']).toMatch(/^\d+$/);
    const later = await send({ input: 'Say exactly: Hello', model: 'kimi-k3' }, key);
    expect(Number(later.headers['x-exai-budget-remaining-usd'])).toBeLessThan(0.5);
    const unlimited = await send({ input: 'Say exactly: Hello' });
    expect(unlimited.headers['x-exai-budget-remaining-usd']).toBeUndefined();
  },
);
