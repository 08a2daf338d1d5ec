import { expect, test } from 'vitest';
import type { Caller } from '#core/calls/call.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { listedTools } from '../../../test/listed-tools.ts';
import { verifies } from '../../../test/verifies.ts';
import { getToolSchemas } from './get-tool-schemas.ts';
import { manageConnections, type ServerConnection } from './manage-connections.ts';
import { searchTools } from './search-tools.ts';

const CALLER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const CONTEXT = {
  caller: CALLER,
  answers: {},
  clientCapabilities: [],
} as Partial<ToolContext> as ToolContext;

function serverTool(server: string, name: string, description: string, reads: boolean): Tool {
  const base = listedTools('lean').find((each) => each.name === 'status');
  const properties = { recipient_email: { type: 'string', description: 'Who gets it.' } };
  return {
    ...(base as Tool),
    name: `mcp__${server}__${name}`,
    title: name,
    description,
    inputSchema: { type: 'object', properties, required: ['recipient_email'] },
    annotations: {
      readOnlyHint: reads,
      destructiveHint: !reads,
      idempotentHint: reads,
      openWorldHint: true,
    },
    profile: 'hidden',
    origin: { server, tool: name },
  };
}

const ALL = [
  ...listedTools('full'),
  serverTool('composio', 'GMAIL_SEND_EMAIL', 'Send an email through Gmail.', false),
  serverTool('files', 'read_text', 'Read a text file.', true),
  serverTool('files', 'delete_file', 'Delete a file.', false),
];
const CATALOGUE = {
  all: () => ALL,
  list: () => ({ version: '', json: '[]', tools: listedTools('lean') }),
  decide: (_: Caller, name: string) =>
    ({ verdict: name === 'mcp__files__delete_file' ? 'deny' : 'allow', reasons: [] }) as const,
};

async function run(tool: Tool, args: Record<string, unknown>) {
  const { text, content } = (await tool.run(tool.parse(args), CONTEXT)) as ToolResult;
  return { text, content: content as Readonly<Record<string, never>> };
}

const search = (args: Record<string, unknown>) =>
  run(
    searchTools({
      catalogue: CATALOGUE,
      serverNote: (server) => (server === 'composio' ? 'It waits.' : ''),
    }),
    args,
  );

verifies(
  'tools:search',
  'several things to do are searched at once, in two languages',
  async () => {
    const { text, content } = await search({
      queries: [
        'send an email',
        '读取文件',
        { use_case: 'stop a running job', known_fields: 'job_id: 7' },
      ],
    });
    const results = content['results'] as unknown as readonly {
      use_case: string;
      tools: readonly string[];
    }[];
    expect(results.map(({ tools }) => tools[0])).toEqual([
      'mcp__composio__GMAIL_SEND_EMAIL',
      'mcp__files__read_text',
      'job_cancel',
    ]);
    expect(results[2]?.use_case).toBe('stop a running job (job_id)');
    expect(text).toMatch(
      /^1\. send an email\n- mcp__composio__GMAIL_SEND_EMAIL \(not listed\): .* Found by .*email.* It waits\.$/m,
    );
  },
);

test('a tool that two queries find says for each by which of its words', async () => {
  const { text } = await search({ queries: ['email of a colleague', 'send something'] });
  const [, first = '', second = ''] = /^1\.(.*)^2\.(.*)/ms.exec(text) ?? [];
  expect(first).toMatch(/GMAIL_SEND_EMAIL.* Found by email in/);
  expect(second).toMatch(/GMAIL_SEND_EMAIL.* Found by send in/);
});

verifies('tools:search', 'a search can be limited to servers, and to tools that read', async () => {
  const names = async (args: Record<string, unknown>) =>
    ((await search(args)).content['tools'] as unknown as readonly { name: string }[]).map(
      ({ name }) => name,
    );
  expect(await names({ query: 'file', servers: ['files'] })).toEqual(['mcp__files__read_text']);
  expect(await names({ query: 'email', effect: 'reads' })).not.toContain(
    'mcp__composio__GMAIL_SEND_EMAIL',
  );
  expect(await names({ query: 'job', servers: ['exai'], limit: 1 })).toHaveLength(1);
  const nowhere = Array.from({ length: 50_000 }, (_, at) => `nowhere-${at % 1_000}`);
  const refused = search({ query: 'a', servers: nowhere });
  await expect(refused).rejects.toMatchObject({ class: 'not_found', field: 'servers' });
  const message = await refused.then(
    () => '',
    (error: Error) => error.message,
  );
  expect(message).toContain('"nowhere-0", "nowhere-1"');
  expect(message.length).toBeLessThan(1_000);
});

verifies(
  'tools:hub-names',
  'a search takes the arguments that Rube and Composio have',
  async () => {
    for (const args of [
      { intent: 'send an email' },
      { queries: [{ use_case: 'send an email' }], session: { generate_id: true }, model: 'x' },
      { use_case: 'send an email', toolkits: ['composio'] },
    ]) {
      const { content } = await search(args);
      expect((content['tools'] as unknown as readonly object[])[0]).toMatchObject({
        name: 'mcp__composio__GMAIL_SEND_EMAIL',
        server: 'composio',
        connection: 'It waits.',
      });
    }
  },
);

verifies(
  'tools:hub-names',
  'the names that Rube and Composio have for these tools are ours',
  () => {
    for (const [theirs, ours] of [
      ['RUBE_SEARCH_TOOLS', 'search_tools'],
      ['COMPOSIO_MULTI_EXECUTE_TOOL', 'multi_execute_tool'],
      ['mcp__rube__RUBE_GET_TOOL_SCHEMAS', 'get_tool_schemas'],
      ['mcp__exai__COMPOSIO_MANAGE_CONNECTIONS', 'manage_connections'],
    ] as const) {
      expect(normaliseToolName(theirs)).toBe(ours);
    }
  },
);

verifies(
  'tools:schemas',
  'schemas of several tools come at once, and near names for those that do not exist',
  async () => {
    const tool = getToolSchemas({ catalogue: CATALOGUE });
    const { text, content } = await run(tool, {
      tool_slugs: ['mcp__files__read_text', 'mcp__files__read_txt', 'mcp__files__delete_file'],
    });
    expect(content['tool_schemas']).toHaveProperty('mcp__files__read_text.input_schema.required', [
      'recipient_email',
    ]);
    expect(content['not_found']).toMatchObject([
      { name: 'mcp__files__read_txt', nearest: ['mcp__files__read_text'] },
      { name: 'mcp__files__delete_file' },
    ]);
    expect(text).toContain('# mcp__files__read_text');
    await expect(run(tool, { names: ['mcp__files__delete_file'] })).rejects.toMatchObject({
      class: 'not_found',
      field: 'names',
    });
  },
);

test('a search with schemas shows them', async () => {
  const { text, content } = await search({ query: 'email', schemas: true });
  expect((content['tools'] as unknown as readonly object[])[0]).toHaveProperty('input_schema');
  expect(text).toContain('Input schema: {"type":"object"');
});

function connections(states: readonly ServerConnection[]) {
  const connected: string[] = [];
  const tool = manageConnections({
    connections: () => states,
    connect: async (server) => {
      connected.push(server);
      if (server === 'down') throw new Error('no');
    },
    accounts: () => ({
      server: 'composio',
      link: async (toolkits) =>
        toolkits.map((toolkit) => ({ toolkit, status: 'initiated', redirectUrl: 'https://x/y' })),
    }),
  });
  return { tool, connected };
}

verifies(
  'tools:connections',
  'connections are shown with what is wrong, and made on request',
  async () => {
    const { tool, connected } = connections([
      { server: 'files', state: 'stopped', problem: '', tools: 3 },
      { server: 'down', state: 'waiting', problem: 'It ended.', tools: undefined },
    ]);
    expect((await run(tool, {})).text).toBe(
      '- files: stopped, 3 tools.\n- down: waiting. It ended.',
    );
    expect(connected).toEqual([]);
    const { text } = await run(tool, { toolkits: ['files', { name: 'gmail', action: 'add' }] });
    expect(connected).toEqual(['files']);
    expect(text).toContain(
      '- gmail: initiated. The user must open https://x/y to connect the account.',
    );
  },
);

verifies('tools:connections', 'a client that opens links is asked to open them', async () => {
  const { tool } = connections([]);
  const context = { ...CONTEXT, clientCapabilities: ['visit'] } as unknown as ToolContext;
  const asked = await tool.run(tool.parse({ toolkits: ['gmail'] }), context);
  expect(asked).toMatchObject({
    inputRequests: { 'connect-gmail': { is: 'visit', url: 'https://x/y' } },
  });
});
