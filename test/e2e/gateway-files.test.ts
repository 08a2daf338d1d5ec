/** Files and documents through the built daemon, as Claude Code and the SDKs send them. */
import { afterAll, beforeAll, expect } from 'vitest';
import { makePdf } from '../make-pdf.ts';
import { verifies } from '../verifies.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import { CHAT, MESSAGES, post } from './gateway-post.ts';

const SECRET = 'The vault opens at nine';
const PDF = makePdf(SECRET);
const BASE64 = PDF.toString('base64');
const QUESTION = 'When does the vault open?';
const CLAUDE_CODE = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
  'user-agent': 'claude-cli/2.0.0 (external, cli)',
};

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness();
});
afterAll(() => harness.close());

const chats = () =>
  harness.emulator.requests({}).filter(({ path }) => path.endsWith('/chat/completions'));

const uploads = () => harness.emulator.requests({}).filter(({ path }) => path.includes('/files'));

/** A conversation in which Claude Code has just read a PDF. */
const readsPdf = (model: string, source: object) => ({
  model,
  max_tokens: 1000,
  stream: true,
  system: [{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }],
  tools: [{ name: 'Read', description: 'Reads a file', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: QUESTION }] },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/v.pdf' } }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'PDF file read: /v.pdf (1KB)' },
        { type: 'document', source },
      ],
    },
  ],
});

verifies('gateway-files:documents', 'Claude Code on Kimi and on GLM reads a PDF', async () => {
  const source = { type: 'base64', media_type: 'application/pdf', data: BASE64 };
  for (const model of ['kimi-k2.6', 'glm-4.7', 'claude-sonnet-4-5']) {
    const body = JSON.stringify(readsPdf(model, source));
    const sent = await post(`${harness.url}${MESSAGES}?beta=true`, { body, headers: CLAUDE_CODE });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('message_stop')]);
    const prompt = JSON.stringify(chats().at(-1)?.body);
    expect(prompt).toContain(SECRET);
    expect(prompt).not.toContain(BASE64.slice(0, 100));
  }
  expect(uploads()).toEqual([]);
});

verifies('gateway-files:documents', 'a document of a private address is not fetched', async () => {
  const before = chats().length;
  for (const url of [`${harness.emulator.url}/a.pdf`, 'http://169.254.169.254/a.pdf']) {
    const body = JSON.stringify(readsPdf('auto', { type: 'url', url }));
    const { status } = await post(`${harness.url}${MESSAGES}`, { body, headers: CLAUDE_CODE });
    expect([400, 403]).toContain(status);
  }
  expect(chats()).toHaveLength(before);
});

verifies('gateway-files:large-bodies', 'content of 24 MB is inline at /v1', async () => {
  const picture = `data:image/png;base64,${'A'.repeat(31_500_000)}`;
  const content = [{ type: 'image_url', image_url: { url: picture } }];
  const send = (role: string) =>
    post(`${harness.url}${CHAT}`, {
      body: JSON.stringify({ model: 'auto', messages: [{ role, content }] }),
    });
  // What is read is refused by its place: the bytes are no picture, and a system has none.
  const read = await send('system');
  expect([read.status, read.text]).toEqual([
    400,
    expect.stringContaining('messages[0].content[0]'),
  ]);
  const broken = await post(`${harness.url}${CHAT}`, {
    body: `{"a": "${'A'.repeat(8_000_000)}\n"}`,
  });
  expect([broken.status, broken.text]).toEqual([400, expect.stringContaining('not JSON')]);
  const over = await post(`${harness.url}${CHAT}`, { body: `"${'A'.repeat(33_554_432)}"` });
  expect(over.status).toBe(413);
});

verifies('gateway-files:large-bodies', 'a message of 30 MiB is read at /mcp', async () => {
  const params = { name: 'no_such_tool', arguments: { content: 'A'.repeat(31_000_000) } };
  const message = (more: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...more });
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  };
  const client = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  };
  const begun = await post(`${harness.url}/mcp`, {
    body: message({ method: 'initialize', params: client }),
    headers,
  });
  const session = String(begun.headers['mcp-session-id']);
  const sent = await post(`${harness.url}/mcp`, {
    body: message({ method: 'tools/call', params }),
    headers: { ...headers, 'mcp-session-id': session },
  });
  expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('no_such_tool')]);
});

verifies('gateway-files:api', 'a file is uploaded, asked about and deleted', async () => {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(PDF)], { type: 'application/pdf' }), 'vault.pdf');
  form.append('purpose', 'assistants');
  const created = await fetch(`${harness.url}/v1/files`, { method: 'POST', body: form });
  const { id } = (await created.json()) as { id: string };
  const content = [
    { type: 'file', file: { file_id: id } },
    { type: 'text', text: QUESTION },
  ];
  const asks = (model: string) => JSON.stringify({ model, messages: [{ role: 'user', content }] });
  for (const model of ['kimi-k2.6', 'glm-4.7']) {
    const { status, text } = await post(`${harness.url}${CHAT}`, { body: asks(model) });
    expect([status, text]).toEqual([200, expect.not.stringContaining('notices')]);
    expect(JSON.stringify(chats().at(-1)?.body)).toContain(SECRET);
  }
  expect(uploads()).toEqual([]);
  const body = asks('glm-4.7');
  const deleted = await fetch(`${harness.url}/v1/files/${id}`, { method: 'DELETE' });
  expect(await deleted.json()).toEqual({ id, object: 'file', deleted: true });
  expect((await post(`${harness.url}${CHAT}`, { body })).status).toBe(404);
});

verifies(
  'gateway-files:tool-results',
  'a key that a tool has read is named, or refused',
  async () => {
    const conversation = {
      ...readsPdf('glm-4.7', {}),
      stream: false,
      messages: [
        { role: 'user', content: 'Read it.' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: `one\nAKIA${'QWERTYUIOPASDFGH'}`,
            },
          ],
        },
      ],
    };
    const body = JSON.stringify(conversation);
    const warned = await post(`${harness.url}${MESSAGES}`, { body, headers: CLAUDE_CODE });
    expect([warned.status, warned.text]).toEqual([
      200,
      expect.stringMatching(/The result of Read seems to contain secrets: [^"]* in line 2/),
    ]);
    await harness.exai('config', 'set', 'files.secrets', 'block');
    const before = chats().length;
    const refused = await post(`${harness.url}${MESSAGES}`, { body, headers: CLAUDE_CODE });
    await harness.exai('config', 'unset', 'files.secrets');
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('in line 2')]);
    expect(refused.text).not.toContain('QWERTY');
    expect(chats()).toHaveLength(before);
  },
);
