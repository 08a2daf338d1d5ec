import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/json/json.ts';
import type { ResultRecord, ResultStore } from '#core/stores/results.ts';
import { createResultPaging, withResultPaging } from '#calls/result-paging.ts';
import { createMcpSession } from '#transport/mcp/mcp-session.ts';
import { sinkOverChannel } from '#transport/mcp/mcp-sink.ts';
import { createServerInfo } from '#transport/mcp/server-info.ts';
import { OWNER } from '../../src/calls/calls.fixture.ts';
import { createMemoryChannel } from '../../src/transport/mcp/session.fixture.ts';
import { createTestHub, scriptServer } from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

const DATA = { rows: [1, 2], name: 'zürich' };
const OUTPUT_SCHEMA = { type: 'object', properties: { rows: { type: 'array' } } };
const BLOCKS = [
  { type: 'text', text: 'two rows', annotations: { audience: ['user'] }, _meta: { own: 1 } },
  { type: 'image', data: 'AAAA', mimeType: 'image/png', odd: { kept: true } },
  { type: 'a_type_of_tomorrow', value: 7 },
];

/** A client of the hub in front of a server that answers with this result. */
async function open(
  result: JsonObject,
  options: { readonly outputSchemas?: boolean; readonly maxTokens?: number } = {},
) {
  const { outputSchemas = false, maxTokens } = options;
  const tool = { name: 'rows', inputSchema: { type: 'object' }, outputSchema: OUTPUT_SCHEMA };
  const server = scriptServer({
    tools: [tool],
    handlers: { 'tools/call': ({ id }, { send }) => send({ id, result }) },
  });
  const hub = await createTestHub({ one: server }, { registry: { outputSchemas, enabled: ['*'] } });
  const kept = new Map<string, ResultRecord & { readonly text: string }>();
  const store: ResultStore = {
    keep: async (each) =>
      void kept.set(each.id, { ...each, chars: each.text.length, createdAt: 0 }),
    read: async (id, _principal, offset, maxChars) => {
      const found = kept.get(id);
      return found && { ...found, offset, text: found.text.slice(offset, offset + maxChars) };
    },
    list: async () => [],
  };
  const countTokens = (text: string) => Math.ceil(text.length / 4);
  const results = createResultPaging({ store, countTokens, log: hub.log });
  const channel = createMemoryChannel();
  const session = createMcpSession(
    sinkOverChannel(channel),
    { caller: OWNER, session: 's1', transport: 'ws' },
    {
      calls: withResultPaging(hub.calls, results),
      clock: hub.clock,
      log: hub.log,
      serverInfo: () => createServerInfo('0.2.0', ''),
      watching: { chars: 0 },
      results,
      outputSchemas,
      ...(maxTokens !== undefined && { maxTokens }),
    },
  );
  let id = 0;
  const request = async (method: string, params: object) => {
    session.onMessage(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }));
    const [message] = (await channel.next(1)) as { result: Record<string, unknown> }[];
    return message?.result ?? {};
  };
  const clientInfo = { name: 'client', version: '1' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const call = async () => {
    const { content, structuredContent, isError, _meta } = await request('tools/call', {
      name: 'mcp__one__rows',
      arguments: {},
    });
    return { content: content as JsonObject[], structuredContent, isError, _meta };
  };
  return { request, call, stored: () => [...kept.values()].map(({ text }) => text) };
}

describe('the result of a server', () => {
  verifies('hub:results', 'is passed on with every field of every block', async () => {
    const { call } = await open({ content: BLOCKS, _meta: { 'their.own/key': [1] } });
    const { content, isError, _meta } = await call();
    expect(content).toEqual(BLOCKS);
    expect(isError).toBeUndefined();
    expect(_meta).toMatchObject({
      'their.own/key': [1],
      'exai/envelope': { status: 'success', tool: 'mcp__one__rows' },
    });
  });

  verifies('hub:results', 'has data only where tools.outputSchemas is on', async () => {
    const result = { content: BLOCKS, structuredContent: DATA };
    const off = await open(result);
    expect((await off.call()).structuredContent).toBeUndefined();
    expect(JSON.stringify(await off.request('tools/list', {}))).not.toContain('outputSchema');
    const on = await open(result, { outputSchemas: true });
    expect((await on.call()).structuredContent).toEqual(DATA);
    const { tools } = await on.request('tools/list', {});
    expect(tools).toEqual([expect.objectContaining({ outputSchema: OUTPUT_SCHEMA })]);
  });

  verifies('hub:results', 'without a text has its data as JSON', async () => {
    const { call } = await open({ content: [], structuredContent: DATA });
    expect((await call()).content).toEqual([{ type: 'text', text: JSON.stringify(DATA) }]);
  });

  test('that is an error stays one', async () => {
    const { call } = await open({ content: [{ type: 'text', text: 'no' }], isError: true });
    expect(await call()).toMatchObject({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
      _meta: { 'exai/envelope': { status: 'error', error_class: 'tool_error' } },
    });
  });
});

describe('the result of a server that is too long for its client', () => {
  const LINES = Array.from({ length: 2_000 }, (_, n) => `line ${n} of the text\n`).join('');

  verifies('hub:paged', 'is paged; other blocks stay, and the whole is a resource', async () => {
    const image = BLOCKS[1] ?? {};
    const content = [{ type: 'text', text: LINES }, image, { type: 'text', text: 'the end' }];
    const { call, stored } = await open({ content }, { maxTokens: 1_000 });
    const result = await call();
    const [first, second, link, ...others] = result.content;
    const text = typeof first?.['text'] === 'string' ? first['text'] : '';
    expect(text.startsWith('line 0 of the text\nline 1')).toBe(true);
    expect(text.length).toBeLessThan(4_500);
    expect(text).toMatch(/Continue with read_result/);
    expect([second, others]).toEqual([image, []]);
    expect(link).toMatchObject({ type: 'resource_link', uri: expect.stringMatching(/^exai:/) });
    expect(stored()).toEqual([`${LINES}\nthe end`]);
    expect(result._meta).toMatchObject({ 'exai/envelope': { page: { next: expect.any(Number) } } });
  });

  verifies('hub:paged', 'keeps its data as a resource', async () => {
    const structuredContent = { rows: Array.from({ length: 5_000 }, (_, n) => n) };
    const content = [{ type: 'text', text: '5,000 rows' }];
    const { call, stored } = await open(
      { content, structuredContent },
      { maxTokens: 1_000, outputSchemas: true },
    );
    const result = await call();
    expect(result.structuredContent).toBeUndefined();
    expect(result.content[0]?.['text']).toMatch(/^5,000 rows\n\n\[The first/);
    expect(result.content[1]).toMatchObject({ type: 'resource_link' });
    const [whole = ''] = stored();
    expect(JSON.parse(whole.slice(whole.indexOf('{')))).toEqual(structuredContent);
  });

  test('sends short data beside a long text', async () => {
    const { call } = await open(
      { content: [{ type: 'text', text: LINES }], structuredContent: DATA },
      { maxTokens: 1_000, outputSchemas: true },
    );
    expect((await call()).structuredContent).toEqual(DATA);
  });
});
