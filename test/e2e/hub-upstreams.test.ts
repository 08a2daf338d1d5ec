import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { startShim } from './shim-client.ts';
import {
  byMcpProxy,
  bySupergateway,
  EVERYTHING,
  FASTMCP,
  memoryServer,
} from './upstream-servers.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
}

/** A daemon with these servers behind it, and a client. */
async function serveWith(mcpServers: Readonly<Record<string, object>>, tools: readonly string[]) {
  const home = createHome();
  writeFileSync(home.path('config.json'), JSON.stringify({ mcpServers }));
  await home.serve();
  const client = startShim(home.root);
  await client.initialize();
  const call = async (tool: string, args: object = {}) => {
    const { result, error } = await client.request('tools/call', {
      name: tool,
      arguments: args,
      _meta: { progressToken: tool },
    });
    if (error) return { isError: true, content: [], text: error.message };
    const { content = [], isError = false } = result as { content?: Block[]; isError?: boolean };
    return { isError, content, text: content.map(({ text = '' }) => text).join('') };
  };
  for (const tool of tools) {
    const isKnown = async () =>
      !/There is no tool|tools are not known yet/.test((await call(tool)).text);
    expect([tool, await eventually(isKnown)]).toEqual([tool, true]);
  }
  return { home, client, call };
}

verifies('hub:upstreams', 'server-memory and a server of fastmcp, over stdio', async () => {
  const home = createHome();
  const { call, client } = await serveWith(
    {
      memory: memoryServer(home.path('memory.json')),
      fast: { command: process.execPath, args: [FASTMCP] },
    },
    ['mcp__memory__read_graph', 'mcp__fast__join'],
  );
  const entity = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
  await call('mcp__memory__create_entities', { entities: [entity] });
  const found = await call('mcp__memory__search_nodes', { query: 'programs' });
  expect(found.text).toContain('Ada');

  const joined = await call('mcp__fast__join', { words: ['a', 'b'] });
  expect(joined).toMatchObject({ isError: false, text: 'a-b' });
  expect(client.lines.some((line) => line.includes('notifications/progress'))).toBe(true);
  const drawn = await call('mcp__fast__draw');
  expect(drawn.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  const failed = await call('mcp__fast__fail');
  expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('on purpose') });
  const wrong = await call('mcp__fast__join', { words: 'a' });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('words') });
  const prompt = await client.request('prompts/get', {
    name: 'mcp__fast__greet',
    arguments: { who: 'Ada' },
  });
  expect(JSON.stringify(prompt.result)).toContain('Hello, Ada!');
  await client.end();
});

verifies('hub:upstreams', 'server-everything behind mcp-proxy and supergateway', async () => {
  const [proxy, streamable, stateful, sse] = await Promise.all([
    byMcpProxy(EVERYTHING),
    bySupergateway(EVERYTHING, 'streamableHttp'),
    bySupergateway(EVERYTHING, 'streamableHttp', '--stateful'),
    bySupergateway(EVERYTHING, 'sse'),
  ]);
  const servers = {
    proxy: { url: `${proxy}/mcp` },
    modern: { url: `${proxy}/mcp`, protocol: 'modern' },
    'proxy-sse': { type: 'sse', url: `${proxy}/sse` },
    streamable: { url: streamable },
    stateful: { url: stateful },
    sse: { type: 'sse', url: sse },
  };
  const names = Object.keys(servers);
  const { home, call, client } = await serveWith(
    servers,
    names.map((name) => `mcp__${name}__echo`),
  );
  for (const name of names) {
    const sums = Array.from({ length: 8 }, (_, b) =>
      call(`mcp__${name}__get-sum`, { a: 40, b }).then(({ text }) => text),
    );
    const expected = sums.map((_, b) => expect.stringContaining(`is ${40 + b}`));
    expect([name, ...(await Promise.all(sums))]).toEqual([name, ...expected]);
    const image = await call(`mcp__${name}__get-tiny-image`);
    expect(image.content.map(({ type }) => type)).toContain('image');
  }
  const { stdout } = await home.exai(['servers', 'show', 'modern', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ protocolVersion: '2026-07-28' });
  await client.end();
});
