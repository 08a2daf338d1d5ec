import { describe, expect, test } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { JsonObject } from '#core/json/json.ts';
import { OWNER } from '../../src/calls/calls.fixture.ts';
import { verifies } from '../verifies.ts';
import { AGENTS, MAIN, META, nameOf, REPORT, setUpAgents, TABLE } from './access-matrix.fixture.ts';

describe.each(['main', 'report'] as const)('the agent %s', (agent) => {
  const cells = TABLE.map(
    ([server, tool, main, report]) => [server, tool, agent === 'main' ? main : report] as const,
  );

  test.each(cells)('and %s %s: %s', async (server, tool, cell) => {
    const { calls, answer, reached } = await setUpAgents();
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
      const { calls, answer } = await setUpAgents();
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

verifies(
  'access:agents',
  'a batch of Composio with tools that the agent may use is sent on',
  async () => {
    const { answer, reached, store } = await setUpAgents();
    const meta = nameOf('composio', META);
    const args = { tools: [{ tool_slug: 'COMPOSIO_SEARCH_WEB', arguments: { query: 'x' } }] };
    expect((await answer(meta, args, { caller: REPORT })).error).toBeUndefined();
    expect(reached()).toHaveLength(1);
    const mail = { tools: [...args.tools, { tool_slug: 'GMAIL_SEND_EMAIL', arguments: {} }] };
    expect((await answer(meta, mail, { caller: MAIN })).error).toBeUndefined();
    expect(store.recorded.at(-1)?.access?.because.map(({ code, row }) => row ?? code)).toEqual([
      'agent_needs_no_row',
      'allow:composio/COMPOSIO_SEARCH_*',
      'allow:composio/GMAIL_SEND_EMAIL',
      'scope_covers_all',
    ]);
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
    const { calls } = await setUpAgents();
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
  const { answer } = await setUpAgents();
  for (const [server, tool] of TABLE) {
    expect((await answer(nameOf(server, tool))).error).toBeUndefined();
  }
});

test('what the rows of main do not name it may read, and change after consent', async () => {
  const { calls, answer, reached } = await setUpAgents();
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
  const { answer, reached } = await setUpAgents();
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
    const { answer, calls, reached } = await setUpAgents({
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
    expect((await answer(meta, batch('eve@evil.example'), { caller: writer })).error?.class).toBe(
      'permission',
    );
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
  const { answer, store } = await setUpAgents();
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
