import { describe, expect, test } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { CallRequest } from '#core/calls/calls.ts';
import type { JsonObject } from '#core/json/json.ts';
import { readingWrapper, writingWrapper } from '#tools/search/call-tool.ts';
import { getToolSchemas } from '#tools/search/get-tool-schemas.ts';
import { multiExecuteTool } from '#tools/search/multi-execute-tool.ts';
import { searchTools } from '#tools/search/search-tools.ts';
import { OWNER, settled } from '../../src/calls/calls.fixture.ts';
import { createTestHub, scriptServer, type ScriptedServer } from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

/** The table of the origin: what each agent may do with a tool; `read`: as far as it reads. */
const TABLE: readonly (readonly [
  server: 'local_toolkit' | 'composio',
  tool: string,
  main: 'yes' | 'no',
  report: 'yes' | 'read' | 'no',
])[] = [
  ['local_toolkit', 'save_corpus', 'no', 'yes'],
  ['local_toolkit', 'write_local_file', 'yes', 'yes'],
  ['local_toolkit', 'workbench_download', 'yes', 'yes'],
  ['local_toolkit', 'workbench_upload', 'yes', 'yes'],
  ['composio', 'COMPOSIO_SEARCH_WEB', 'yes', 'read'],
  ['composio', 'COMPOSIO_SEARCH_NEWS', 'yes', 'read'],
  ['composio', 'GMAIL_SEND_EMAIL', 'yes', 'no'],
  ['composio', 'COMPOSIO_REMOTE_WORKBENCH', 'yes', 'no'],
  // Counts as the workbench.
  ['composio', 'COMPOSIO_REMOTE_BASH_TOOL', 'yes', 'no'],
  ['local_toolkit', 'crawl_parallel', 'yes', 'yes'],
];
const META = 'COMPOSIO_MULTI_EXECUTE_TOOL';
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  local_toolkit: ['upload_to_composio', 'read_local_file', 'delete_everything'],
  composio: [META, 'OUTLOOK_SEND_EMAIL', 'GMAIL_FETCH_EMAILS'],
  elsewhere: ['GMAIL_SEND_EMAIL', 'COMPOSIO_SEARCH_WEB', 'save_corpus', 'call_tool', 'look'],
};
/** No server of the tests annotates these, as Composio does not. */
const ANNOTATED: Readonly<Record<string, JsonObject>> = { look: { readOnlyHint: true } };

const MAIN = asAgent(OWNER, 'main');
const REPORT = asAgent(OWNER, 'report-creation-expert');
const AGENTS = { main: MAIN, report: REPORT } as const;

function serverOf(names: readonly string[]): ScriptedServer {
  return scriptServer({
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    tools: names.map((name) => ({
      name,
      inputSchema: { type: 'object' },
      ...(ANNOTATED[name] && { annotations: ANNOTATED[name] }),
    })),
    handlers: {
      'tools/call': ({ id }, connection) =>
        connection.send({ id, result: { content: [{ type: 'text', text: 'done' }] } }),
      'prompts/list': ({ id }, connection) =>
        connection.send({ id, result: { prompts: names.map((name) => ({ name })) } }),
      'prompts/get': ({ id }, connection) => connection.send({ id, result: { messages: [] } }),
      'resources/list': ({ id }, connection) =>
        connection.send({
          id,
          result: { resources: names.map((name) => ({ name, uri: `data://${name}` })) },
        }),
      'resources/read': ({ id }, connection) => connection.send({ id, result: { contents: [] } }),
    },
  });
}

const namesOf = (server: string) => [
  ...TABLE.flatMap(([of, tool]) => (of === server ? [tool] : [])),
  ...(OTHERS[server] ?? []),
];

async function setUp(agents = {}) {
  const servers = Object.fromEntries(
    ['local_toolkit', 'composio', 'elsewhere'].map((name) => [name, serverOf(namesOf(name))]),
  );
  const hub = await createTestHub(servers, { agents });
  const { calls, registry, content } = hub;
  hub.clock.advance(0);
  await settled();
  const all = Object.keys(servers).flatMap(namesOf).length;
  expect([content.all('prompts'), content.all('resources')].map((each) => each.length)).toEqual([
    all,
    all,
  ]);
  const catalogue = {
    all: () => registry.all(),
    list: calls.list,
    decide: calls.decide,
  };
  registry.put('finding', [
    searchTools({ catalogue }),
    getToolSchemas({ catalogue }),
    multiExecuteTool,
    readingWrapper,
    writingWrapper,
  ]);
  /** What reached a server, by any connection, as text. */
  const reached = () =>
    Object.values(servers).flatMap(({ connections }) =>
      connections.flatMap(({ received }) =>
        received.flatMap(({ method = '', params }) =>
          /^(?:tools\/call|prompts\/get|resources\/read|completion)/.test(method)
            ? [JSON.stringify([method, params])]
            : [],
        ),
      ),
    );
  return { ...hub, reached };
}

const nameOf = (server: string, tool: string) => `mcp__${server}__${tool}`;

describe.each(['main', 'report'] as const)('the agent %s', (agent) => {
  const cells = TABLE.map(
    ([server, tool, main, report]) => [server, tool, agent === 'main' ? main : report] as const,
  );

  test.each(cells)('and %s %s: %s', async (server, tool, cell) => {
    const { calls, answer, reached } = await setUp();
    const name = nameOf(server, tool);
    const caller = AGENTS[agent];
    const { verdict } = calls.decide(caller, name);
    expect(verdict).toBe(cell === 'no' ? 'deny' : cell === 'read' ? 'read_only' : 'allow');
    const { error } = await answer(name, { query: 'x' }, { caller });
    expect(error?.class).toBe(cell === 'no' ? 'permission' : undefined);
    expect(reached()).toHaveLength(cell === 'no' ? 0 : 1);
  });

  verifies(
    'access:agents',
    'finds in searches and lists what its rows permit, and nothing else',
    async () => {
      const { calls, answer } = await setUp();
      const caller = AGENTS[agent];
      const hidden = cells.flatMap(([server, tool, cell]) =>
        cell === 'no' ? [nameOf(server, tool)] : [],
      );
      const shown = cells.flatMap(([server, tool, cell]) =>
        cell === 'no' ? [] : [nameOf(server, tool)],
      );
      const found = await answer('search_tools', {}, { caller });
      for (const name of hidden) expect(found.text).not.toContain(`${name} `);
      for (const name of shown) expect(found.text).toContain(name);
      for (const name of hidden) {
        const named = await answer('search_tools', { query: name }, { caller });
        expect(named.text).not.toMatch(new RegExp(`^# ${name}`, 'm'));
        const schemas = await answer('get_tool_schemas', { tools: [name] }, { caller });
        expect(JSON.stringify(schemas.envelope.content)).not.toContain('"input_schema"');
      }
      for (const kind of ['prompts', 'resources', 'templates'] as const) {
        const { json = '' } = calls.page(caller, kind) ?? {};
        for (const name of hidden) expect(json).not.toContain(name);
      }
    },
  );
});

/** Ways to call a tool; `{name}` is its name and `{slug}` that at its server. */
const WAYS: readonly (readonly [
  way: string,
  tool: string,
  args: unknown,
  more?: Partial<CallRequest>,
])[] = [
  ['by name', '{name}', {}],
  ['with our prefix', 'mcp__exai__{name}', {}],
  ['with an old suffix', '{name}_EXAI_WS', {}],
  ['with another old suffix', '{name}-EXAI-WS', {}],
  ['by its slug', '{slug}', {}],
  ['in small letters', '{lower}', {}],
  ['with a space', '{name} ', {}],
  ['with an invisible character', '{name}\u200b', {}],
  ['through call_tool', 'call_tool', { name: '{name}', arguments: {} }],
  ['through call_tool_write', 'call_tool_write', { name: '{name}', arguments: {} }],
  ['through its alias', 'mcp__exai__call_tool_write_EXAI_WS', { tool_slug: '{name}', params: {} }],
  ['with arguments as text', 'call_tool_write', { tool: '{name}', args: '{}' }],
  [
    'through a wrapper in a wrapper',
    'call_tool_write',
    { name: 'call_tool_write', arguments: { name: '{name}' } },
  ],
  ['in a batch', 'multi_execute_tool', { tools: [{ name: '{name}' }] }],
  ['in a batch of Rube', 'RUBE_MULTI_EXECUTE_TOOL', { tools: [{ tool_slug: '{name}' }] }],
  [
    'in a batch of Rube with a prefix',
    'mcp__rube__RUBE_MULTI_EXECUTE_TOOL',
    { tools: [{ slug: '{slug}', params: {} }] },
  ],
  ['in a batch of Composio', META, { tools: [{ slug: '{slug}' }, { slug: '{name}' }] }],
  [
    'in a batch in a wrapper',
    'call_tool_write',
    { name: 'multi_execute_tool', arguments: { tools: [{ name: '{name}' }] } },
  ],
  [
    'in a batch in a batch',
    'multi_execute_tool',
    { tools: [{ name: 'multi_execute_tool', arguments: { tools: [{ name: '{name}' }] } }] },
  ],
  [
    'through a wrapper in a batch',
    'multi_execute_tool',
    { tools: [{ name: 'call_tool_write', arguments: { name: '{name}' } }] },
  ],
  ['from another session', '{name}', {}, { session: 'other', transport: 'http' }],
  ['as a job', '{name}', {}, { background: { afterMs: 0, as: 'job' }, transport: 'job' }],
  ['as a task', '{name}', {}, { background: { afterMs: 0, as: 'task' } }],
  [
    'with a consent that nobody gave',
    '{name}',
    {},
    {
      clientCapabilities: ['form'],
      answers: { 'exai.consent': { action: 'accept' } },
    },
  ],
  ['within another call', '{name}', {}, { within: { tool: 'chat', depth: 1 } }],
  ['as a prompt', '{name}', {}, { kind: 'prompt' }],
  ['as a resource', 'mcp://{server}/data://{slug}', {}, { kind: 'resource' }],
  ['as a resource by its own address', 'data://{slug}', {}, { kind: 'resource' }],
];

/** Ways through the tool of Composio that calls several of its tools. */
const META_WAYS: readonly (readonly [way: string, args: JsonObject])[] = [
  ['alone', { tools: [{ tool_slug: '{slug}', arguments: {} }] }],
  [
    'beside one that is permitted',
    { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB' }, { tool_slug: '{slug}' }] },
  ],
  ['under another argument', { tools: [{ slug: '{slug}', params: {} }] }],
  ['in small letters', { tools: [{ tool_slug: '{lower}' }] }],
  ['with its server', { tools: [{ tool_slug: '{name}' }] }],
  ['with a space', { tools: [{ tool_slug: ' {slug} ' }] }],
  ['under two names', { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB', slug: '{slug}' }] }],
  [
    'in two lists',
    { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB' }], calls: [{ tool_slug: '{slug}' }] },
  ],
  ['in itself', { tools: [{ tool_slug: META, arguments: { tools: [{ tool_slug: '{slug}' }] } }] }],
  ['as text', { tools: '[{"tool_slug":"{slug}"}]' }],
  ['under an unknown argument', { tools: [{ action: '{slug}' }] }],
  ['as a bare name', { tools: ['{slug}'] }],
  ['outside the list', { tools: [], tool_slug: '{slug}' }],
];

const DENIED = [
  ['report-creation-expert', 'composio', 'GMAIL_SEND_EMAIL'],
  ['report-creation-expert', 'composio', 'COMPOSIO_REMOTE_WORKBENCH'],
  ['report-creation-expert', 'composio', 'COMPOSIO_REMOTE_BASH_TOOL'],
  ['report-creation-expert', 'composio', 'OUTLOOK_SEND_EMAIL'],
  ['report-creation-expert', 'elsewhere', 'GMAIL_SEND_EMAIL'],
  ['report-creation-expert', 'elsewhere', 'COMPOSIO_SEARCH_WEB'],
  ['report-creation-expert', 'local_toolkit', 'delete_everything'],
  ['main', 'local_toolkit', 'save_corpus'],
  // No agent of the daemon: it has no rows.
  ['unknown', 'composio', 'COMPOSIO_SEARCH_WEB'],
  ['__proto__', 'composio', 'COMPOSIO_SEARCH_WEB'],
  ['constructor', 'composio', 'COMPOSIO_SEARCH_WEB'],
  ['', 'composio', 'COMPOSIO_SEARCH_WEB'],
] as const;

function filled<T>(template: T, server: string, slug: string): T {
  const name = nameOf(server, slug);
  const json = JSON.stringify(template)
    .replaceAll('{name}', name)
    .replaceAll('{lower}', name.toLowerCase())
    .replaceAll('{slug}', slug)
    .replaceAll('{server}', server);
  return JSON.parse(json) as T;
}

describe.each(DENIED)('the agent %j does not reach %s %s', (agent, server, slug) => {
  verifies('access:agents', 'by any way to name, wrap or continue a call', async () => {
    const { answer, reached } = await setUp();
    const caller = asAgent(OWNER, agent);
    for (const [way, tool, args, more] of filled(WAYS, server, slug)) {
      const { error, inputRequired, text } = await answer(tool, args, { ...more, caller });
      expect([way, inputRequired, reached()]).toEqual([way, undefined, []]);
      expect([way, error?.class ?? text]).not.toEqual([way, 'done']);
    }
  });
});

describe.each(DENIED.filter(([, server]) => server === 'composio'))(
  'the agent %j does not reach %s %s through Composio',
  (agent, server, slug) => {
    verifies('access:agents', 'however its tool that calls several is given the name', async () => {
      const { answer, reached } = await setUp();
      const caller = asAgent(OWNER, agent);
      const meta = nameOf(server, META);
      for (const [way, args] of filled(META_WAYS, server, slug)) {
        for (const [tool, given] of [
          [meta, args],
          ['call_tool_write', { name: meta, arguments: args }],
          ['multi_execute_tool', { tools: [{ name: meta, arguments: args }] }],
        ] as const) {
          const { error, text } = await answer(tool, given, { caller });
          expect([way, tool, reached()]).toEqual([way, tool, []]);
          if (tool === 'multi_execute_tool') {
            expect(text).toMatch(/^(?:0 of 1 succeeded|Access to multi_execute_tool is denied)/);
          }
          else expect([way, error?.class]).toEqual([way, 'permission']);
        }
      }
    });
  },
);

verifies(
  'access:agents',
  'a batch of Composio with tools that the agent may use is sent on',
  async () => {
    const { answer, reached } = await setUp();
    const meta = nameOf('composio', META);
    const args = { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB', arguments: { query: 'x' } }] };
    expect((await answer(meta, args, { caller: REPORT })).error).toBeUndefined();
    expect(reached()).toHaveLength(1);
    const mail = { tools: [...args.tools, { tool_slug: 'GMAIL_SEND_EMAIL', arguments: {} }] };
    expect((await answer(meta, mail, { caller: MAIN })).error).toBeUndefined();
    const { error } = await answer(meta, mail, { caller: REPORT });
    expect(error?.message).toBe(
      'Access to mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL is denied. The row "deny:composio/GMAIL_SEND_EMAIL" of the agent report-creation-expert refuses composio/GMAIL_SEND_EMAIL.',
    );
    expect(reached()).toHaveLength(2);
  },
);

verifies(
  'access:agents',
  'the scopes of the client limit its agent, and those of the owner add nothing',
  async () => {
    const { calls } = await setUp();
    const decide = (scopes: readonly string[], agent: string, tool: string) =>
      calls.decide(asAgent({ ...OWNER, principal: 'ci', scopes }, agent), tool).verdict;
    const mail = nameOf('composio', 'GMAIL_SEND_EMAIL');
    const search = nameOf('composio', 'COMPOSIO_SEARCH_WEB');
    expect(decide(['*'], 'main', mail)).toBe('allow');
    expect(decide(['read:*'], 'main', mail)).toBe('deny');
    expect(decide(['read:*'], 'main', search)).toBe('read_only');
    expect(decide(['ask:*'], 'main', mail)).toBe('ask');
    expect(decide([], 'main', search)).toBe('deny');
    expect(decide(['*', mail], 'report-creation-expert', mail)).toBe('deny');
    expect(decide(['ask:*'], 'report-creation-expert', search)).toBe('ask');
  },
);

test('a client without an agent is decided by its scopes alone', async () => {
  const { answer } = await setUp();
  for (const [server, tool] of TABLE) {
    expect((await answer(nameOf(server, tool))).error).toBeUndefined();
  }
});

test('what the rows of main do not name it may read, and change after consent', async () => {
  const { calls, answer, reached } = await setUp();
  const verdict = (server: string, tool: string) =>
    calls.decide(MAIN, nameOf(server, tool)).verdict;
  expect(verdict('elsewhere', 'look')).toBe('read_only');
  expect(verdict('elsewhere', 'GMAIL_SEND_EMAIL')).toBe('ask');
  expect(verdict('composio', 'GMAIL_FETCH_EMAILS')).toBe('ask');
  const mail = nameOf('elsewhere', 'GMAIL_SEND_EMAIL');
  expect((await answer(mail, {}, { caller: MAIN })).error?.class).toBe('permission');
  const asked = await answer(mail, {}, { caller: MAIN, clientCapabilities: ['form'] });
  expect(asked.inputRequired?.questions).toMatchObject({
    'exai.consent': { message: expect.stringMatching(/^main of local wants to use /) as string },
  });
  expect(reached()).toEqual([]);
  const wrapped = { name: 'GMAIL_SEND_EMAIL', arguments: {} };
  const through = nameOf('elsewhere', 'call_tool');
  expect((await answer(through, wrapped, { caller: MAIN })).error?.class).toBe('permission');
});

test('a consent given to a client is not one for its agent', async () => {
  const { answer, reached } = await setUp();
  const mail = nameOf('elsewhere', 'GMAIL_SEND_EMAIL');
  const person = { ...OWNER, scopes: ['ask:*'] };
  const able = { clientCapabilities: ['form'] } as const;
  const { inputRequired } = await answer(mail, {}, { ...able, caller: person });
  const { error } = await answer(
    mail,
    {},
    {
      ...able,
      caller: asAgent(person, 'main'),
      state: inputRequired?.state ?? '',
      answers: { 'exai.consent': { action: 'accept' } },
    },
  );
  expect(error).toMatchObject({ class: 'validation', field: 'requestState' });
  expect(reached()).toEqual([]);
});

verifies(
  'access:agents',
  'rows of the settings replace those of an agent, by client, action and arguments',
  async () => {
    const { answer, calls, reached } = await setUp({
      writer: {
        access: [
          'composio/GMAIL_SEND_EMAIL args.to=*@acme.example',
          'deny:composio/GMAIL_SEND_EMAIL args.subject=*secret*',
          'composio/OUTLOOK_SEND_EMAIL client=ci',
          'elsewhere/* does=reads',
        ],
      },
      main: { access: ['read:elsewhere/look'] },
    });
    const writer = asAgent(OWNER, 'writer');
    const mail = nameOf('composio', 'GMAIL_SEND_EMAIL');
    const send = async (args: JsonObject) => (await answer(mail, args, { caller: writer })).error;
    expect(calls.decide(writer, mail)).toMatchObject({
      verdict: 'allow',
      dependsOnArguments: true,
    });
    expect(await send({ to: 'ann@acme.example' })).toBeUndefined();
    expect((await send({ to: 'eve@evil.example' }))?.class).toBe('permission');
    expect((await send({ to: ['ann@acme.example', 'eve@evil.example'] }))?.class).toBe(
      'permission',
    );
    expect((await send({}))?.class).toBe('permission');
    expect((await send({ to: 'ann@acme.example', subject: 'Our SECRET' }))?.class).toBe(
      'permission',
    );
    expect(reached()).toHaveLength(1);
    const meta = nameOf('composio', META);
    const batch = (to: string) => ({
      tools: [{ tool_slug: 'GMAIL_SEND_EMAIL', arguments: { to } }],
    });
    expect(
      (await answer(meta, batch('eve@evil.example'), { caller: writer })).error?.class,
    ).toBe('permission');
    expect((await answer(meta, batch('b@acme.example'), { caller: writer })).error).toBeUndefined();
    const outlook = nameOf('composio', 'OUTLOOK_SEND_EMAIL');
    expect(calls.decide(writer, outlook).verdict).toBe('deny');
    expect(calls.decide({ ...writer, principal: 'ci' }, outlook).verdict).toBe('allow');
    expect(calls.decide({ ...writer, principal: 'ci#2' }, outlook).verdict).toBe('allow');
    expect(calls.decide(writer, nameOf('elsewhere', 'look')).verdict).toBe('allow');
    expect(calls.decide(writer, nameOf('elsewhere', 'save_corpus')).verdict).toBe('deny');
    expect(calls.decide(MAIN, mail).verdict).toBe('deny');
    expect(calls.decide(MAIN, nameOf('elsewhere', 'look')).verdict).toBe('read_only');
    // The lists of one client are not those of another.
    const { text } = await answer('search_tools', { query: outlook }, { caller: writer });
    expect(text).not.toContain(outlook);
    const ci = await answer(
      'search_tools',
      { query: outlook },
      { caller: { ...writer, principal: 'ci' } },
    );
    expect(ci.text).toMatch(new RegExp(`^# ${outlook}`));
  },
);

verifies('access:audit', 'the audit says what decided about a call of an agent', async () => {
  const { answer, store } = await setUp();
  const mail = nameOf('composio', 'GMAIL_SEND_EMAIL');
  await answer(mail, { to: 'ann@acme.example' }, { caller: REPORT });
  await answer(mail, {}, { caller: MAIN });
  await answer(mail, {}, { caller: { ...OWNER, scopes: ['read:*'] } });
  await answer(mail);
  const rows = [...store.noted, ...store.recorded].filter(({ tool }) => tool === mail);
  expect(rows.map(({ agent, access }) => [agent, access])).toEqual(
    expect.arrayContaining([
      [
        'report-creation-expert',
        {
          verdict: 'deny',
          because: [{ code: 'agent_row_denies', row: 'deny:composio/GMAIL_SEND_EMAIL' }],
        },
      ],
      [
        'main',
        {
          verdict: 'allow',
          because: [
            { code: 'agent_row_allows', row: 'allow:composio/GMAIL_SEND_EMAIL' },
            { code: 'scope_covers_all' },
          ],
        },
      ],
      [null, { verdict: 'deny', because: [{ code: 'scope_only_reads', scope: 'read:*' }] }],
      [null, undefined],
    ]),
  );
  expect(JSON.stringify(rows)).not.toContain('ann@acme.example');
});
