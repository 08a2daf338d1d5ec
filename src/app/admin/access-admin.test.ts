import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccess } from '#calls/access.ts';
import { rowTextsOf } from '#calls/agents/agent-rows.ts';
import type { AccessAdmin } from '#core/auth/access-admin.ts';
import { ACCESS_METHODS } from '#core/auth/access-admin.ts';
import { createIds } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { reason } from '#core/messages/reasons.ts';
import { openStore } from '#store/open-store.ts';
import { createListLog, type ListLog } from '../../../test/list-log.ts';
import { makeStoreHome, type StoreHome } from '../../../test/stores.ts';
import { verifies } from '../../../test/verifies.ts';
import { createAccessAdmin } from './access-admin.ts';
import { accessMethods } from '../features/access.ts';

let home: StoreHome;
let store: Store;
let admin: AccessAdmin;
let revoked: string[] = [];
let drawn: number;
let log: ListLog;

const HINTS = { destructiveHint: false, idempotentHint: true, openWorldHint: false };
const TOOLS = [
  { name: 'status', tier: 'user', annotations: { ...HINTS, readOnlyHint: true } },
  { name: 'kimi_upload', tier: 'user', annotations: { ...HINTS, readOnlyHint: false } },
  { name: 'route', tier: 'backend', annotations: { ...HINTS, readOnlyHint: true } },
  { name: 'chat', tier: 'user', annotations: { ...HINTS, readOnlyHint: true }, pool: 'provider' },
  {
    name: 'call_tool',
    tier: 'user',
    annotations: { ...HINTS, readOnlyHint: true },
    reaches: 'reading',
  },
  {
    name: 'call_tool_write',
    tier: 'user',
    annotations: { ...HINTS, readOnlyHint: false },
    reaches: 'writing',
  },
] as const;

const access = createAccess({
  registry: { find: () => undefined },
  agents: () => ({ writer: { access: ['exai/status', 'exai/kimi_upload args.name=*.pdf'] } }),
});

beforeEach(async () => {
  home = await makeStoreHome('sqlite');
  store = await openStore({ ...home, writerId: 'writer_test' });
  drawn = 0;
  revoked = [];
  log = createListLog();
  const random = (bytes: number) => new Uint8Array(bytes).fill(++drawn);
  admin = createAccessAdmin({
    clients: store.clients,
    revoke: (id) => void revoked.push(id),
    agents: () => rowTextsOf({ writer: { access: ['exai/status'] } }),
    decide(caller, name, args) {
      const tool = TOOLS.find((each) => each.name === name);
      if (!tool)
        return { verdict: 'deny', reasons: [reason('unknown_tool', { tool: name, hint: '' })] };
      return access.decide(caller, tool, args);
    },
    find: (name) => TOOLS.find((each) => each.name === name),
    tools: () => TOOLS,
    newId: createIds(home.clock, random),
    random,
    clock: home.clock,
    log,
  });
});

afterEach(async () => {
  await store.close();
  await home.remove();
});

test('a wrapper is refused to a client that may use none of the tools that it calls', async () => {
  await admin.add({ name: 'reader', scopes: ['read:*'] });
  await admin.add({ name: 'writer', scopes: ['kimi_upload'] });
  const explain = (client: string) => admin.explain({ tool: 'call_tool_write', client });
  expect(await explain('reader')).toMatchObject({
    verdict: 'deny',
    because: [
      'call_tool_write needs no scope, but the scopes of reader allow none of the tools that it calls.',
    ],
  });
  expect(await explain('writer')).toMatchObject({ verdict: 'allow' });
});

verifies(
  'access:tokens',
  'a client gets its token once, and only the digest is stored',
  async () => {
    const added = await admin.add({ name: 'laptop', scopes: ['read:*'] });
    expect(added.token).toMatch(/^exai_[\w-]{43}$/);
    const [stored] = await store.clients.list();
    expect(stored).toMatchObject({ name: 'laptop', tokenSha256: hash('sha256', added.token) });
    expect(JSON.stringify(await store.clients.list())).not.toContain(added.token);
    expect(await admin.list()).toEqual([
      {
        name: 'laptop',
        principal: 'laptop',
        scopes: ['read:*'],
        created: '2026-01-01T00:00:00.000Z',
      },
    ]);
    const other = await admin.add({ name: 'ci', scopes: ['*'] });
    expect(other.token).not.toBe(added.token);
  },
);

verifies(
  'access:tokens',
  'a removed client is refused from that moment, and named as removed',
  async () => {
    await admin.add({ name: 'laptop', scopes: ['*'] });
    home.clock.advance(1000);
    expect(await admin.remove({ name: 'laptop' })).toMatchObject({
      expires: '2026-01-01T00:00:01.000Z',
    });
    expect(await store.clients.list()).toMatchObject([{ expiresAt: home.clock.now() }]);
    expect(await admin.explain({ tool: 'status', client: 'laptop' })).toMatchObject({
      verdict: 'deny',
      reasons: [reason('token_revoked', { client: 'laptop' })],
      because: ['The token of laptop was revoked.'],
    });
    await expect(admin.remove({ name: 'laptop' })).rejects.toMatchObject({ class: 'not_found' });
    await expect(admin.remove({ name: 'labtop' })).rejects.toMatchObject({
      class: 'not_found',
      message: 'There is no client "labtop", did you mean "laptop"?',
    });
  },
);

test('a name belongs to one client, also with two concurrent requests', async () => {
  const both = await Promise.allSettled([
    admin.add({ name: 'twin', scopes: ['*'] }),
    admin.add({ name: 'twin', scopes: ['read:*'] }),
  ]);
  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { class: 'conflict', field: 'name' } },
  ]);
});

test.each([
  '',
  'Laptop',
  '-x',
  'a'.repeat(65),
  'a b',
  'local',
  'a#b',
  'local#2',
  '__proto__',
  'x\n',
])('the name %j is refused', async (name) => {
  await expect(admin.add({ name, scopes: ['*'] })).rejects.toMatchObject({
    class: 'validation',
    field: 'name',
  });
});

test.each([
  ['reed:*', '"reed:*" is not a scope, did you mean "read:*"?'],
  ['@nobody', '"@nobody" is not a scope.'],
  ['read:', '"read:" is not a scope.'],
  ['a b', '"a b" is not a scope.'],
])('the scope %j is refused with an explanation', async (scope, message) => {
  await expect(admin.add({ name: 'laptop', scopes: ['*', scope] })).rejects.toMatchObject({
    class: 'validation',
    field: 'scopes',
    message,
  });
  expect(await admin.list()).toEqual([]);
});

test.each([
  { scopes: ['*'], tool: 'kimi_upload', verdict: 'allow' },
  { scopes: ['read:*'], tool: 'status', verdict: 'read_only' },
  { scopes: ['read:*'], tool: 'kimi_upload', verdict: 'deny' },
  { scopes: ['*', 'deny:kimi_*'], tool: 'kimi_upload', verdict: 'deny' },
  { scopes: ['ask:@backend', 'read:*'], tool: 'route', verdict: 'ask' },
  { scopes: ['chat'], tool: 'status', verdict: 'deny' },
  { scopes: ['free:*'], tool: 'status', verdict: 'read_only' },
  { scopes: ['free:*'], tool: 'chat', verdict: 'deny' },
])('$scopes on $tool is explained as $verdict', async ({ scopes, tool, verdict }) => {
  await admin.add({ name: 'laptop', scopes });
  const explained = await admin.explain({ tool, client: 'laptop' });
  expect(explained).toMatchObject({ tool, client: 'laptop', scopes, verdict });
  expect(explained.because.length).toBeGreaterThan(0);
});

verifies(
  'access:explain',
  'what an agent may do is explained by its row, then by the scope',
  async () => {
    await admin.add({ name: 'laptop', scopes: ['read:*'] });
    const explain = (tool: string, args?: Record<string, unknown>) =>
      admin.explain({ tool, client: 'laptop', agent: 'writer', args });
    expect(await explain('status')).toMatchObject({
      agent: 'writer',
      verdict: 'read_only',
      because: [
        'The row "exai/status" of the agent writer covers exai/status.',
        'The scope "read:*" of writer of laptop lets status read.',
      ],
    });
    expect(await explain('chat')).toMatchObject({
      verdict: 'deny',
      because: ['No row of the agent writer covers exai/chat.'],
    });
    const upload = (args?: Record<string, unknown>) =>
      admin.explain({ tool: 'kimi_upload', agent: 'writer', args });
    expect(await upload()).toMatchObject({ verdict: 'allow', dependsOnArguments: true });
    expect(await upload({ name: 'a.pdf' })).toMatchObject({ verdict: 'allow' });
    expect(await upload({ name: 'a.exe' })).toMatchObject({ verdict: 'deny' });
    expect(await admin.coverage({ agent: 'writer' })).toMatchObject({
      agent: 'writer',
      rows: ['exai/status'],
      coverage: { free: ['status'], paid: [], changing: ['kimi_upload'] },
    });
    expect((await admin.coverage({ agent: 'main' })).rows).toContain(
      'deny:local_toolkit/save_corpus',
    );
    await expect(admin.explain({ tool: 'chat', agent: 'writter' })).rejects.toMatchObject({
      class: 'not_found',
      field: 'agent',
      message: 'There is no agent "writter", did you mean "writer"?',
    });
  },
);

verifies('access:explain', 'without a client, access of the owner is explained', async () => {
  expect(await admin.explain({ tool: 'status' })).toMatchObject({
    client: 'local',
    verdict: 'allow',
  });
});

verifies('access:log', 'added and removed clients are logged, without their tokens', async () => {
  const { token } = await admin.add({ name: 'laptop', scopes: ['read:*'] });
  await admin.remove({ name: 'laptop' });
  const fields = { name: 'laptop', scopes: ['read:*'] };
  const added = { ...fields, principal: 'laptop' };
  expect(log.lines).toEqual([
    { event: 'client_added', fields: added },
    { event: 'client_removed', fields },
  ]);
  expect(revoked).toHaveLength(1);
  expect(JSON.stringify(log.lines)).not.toContain(token);
});

test('a client is as old as its first token; one that was added again is new', async () => {
  await admin.add({ name: 'laptop', scopes: ['*'] });
  home.clock.advance(1000);
  const [first] = await store.clients.list();
  const next = {
    id: 'client_2' as const,
    name: 'laptop',
    principal: 'laptop',
    tokenSha256: 'b'.repeat(64),
    scopes: ['*'],
  };
  await store.clients.replace(first?.id ?? '', next, home.clock.now() + 500);
  expect(await admin.list()).toMatchObject([{ created: '2026-01-01T00:00:00.000Z' }]);
  home.clock.advance(1000);
  await admin.remove({ name: 'laptop' });
  home.clock.advance(1000);
  await admin.add({ name: 'laptop', scopes: ['read:*'], restore: true });
  expect(await admin.list()).toEqual([
    {
      name: 'laptop',
      principal: 'laptop',
      scopes: ['read:*'],
      created: '2026-01-01T00:00:03.000Z',
    },
  ]);
});

test('a scope that matches no tool is accepted, with a notice', async () => {
  const scopes = ['statsu', 'deny:kimi_*', 'read:*', '@backend', 'ask:xyzzy*'];
  expect((await admin.add({ name: 'laptop', scopes })).warnings).toEqual([
    'The scope "statsu" names no tool that is there now, did you mean "status"?',
    'The scope "ask:xyzzy*" names no tool that is there now.',
  ]);
});

test('a scope that names a wrapper allows nothing, and a warning says so', async () => {
  const { warnings } = await admin.add({ name: 'ct', scopes: ['call_tool', 'deny:call_tool'] });
  expect(warnings).toEqual([
    'call_tool needs no scope; name the tools that the client calls with it.',
  ]);
});

test('the explanation of an unknown tool says that it is unknown', async () => {
  expect(await admin.explain({ tool: 'status' })).toMatchObject({ toolIs: 'known' });
  expect(await admin.explain({ tool: 'statsu' })).toMatchObject({
    toolIs: 'unknown',
    verdict: 'deny',
  });
});

test('the methods on the wire validate their params', async () => {
  const methods = new Map(Object.entries(accessMethods(admin)));
  const call = (method: string, params?: unknown) => methods.get(method)?.(params);
  await call(ACCESS_METHODS.add, { name: 'laptop', scopes: ['*'] });
  expect(await call(ACCESS_METHODS.list)).toMatchObject({ clients: [{ name: 'laptop' }] });
  const wrong: [string, unknown][] = [
    [ACCESS_METHODS.add, undefined],
    [ACCESS_METHODS.add, []],
    [ACCESS_METHODS.add, { name: 'x' }],
    [ACCESS_METHODS.add, { name: 'x', scopes: ['*'], restore: 'yes' }],
    [ACCESS_METHODS.coverage, { tool: 'x' }],
    [ACCESS_METHODS.add, { name: 'x', scopes: [] }],
    [ACCESS_METHODS.add, { name: 'x', scopes: ['*'], token: 'mine' }],
    [ACCESS_METHODS.add, { name: 1, scopes: ['*'] }],
    [ACCESS_METHODS.remove, { nam: 'laptop' }],
    [ACCESS_METHODS.explain, { tool: '' }],
    [ACCESS_METHODS.explain, JSON.parse('{"__proto__":{"tool":"status"}}')],
  ];
  for (const [method, params] of wrong) {
    await expect(call(method, params)).rejects.toMatchObject({ class: 'validation' });
  }
});

const principalsOf = async () => (await store.clients.list()).map(({ principal }) => principal);

verifies(
  'security:client-identity',
  'a client that is added by the name of a removed one is another client, and a notice says so',
  async () => {
    const first = await admin.add({ name: 'ci', scopes: ['*'] });
    expect(first).toMatchObject({ principal: 'ci', notices: [] });
    await store.conversations.create({ id: 'conv_old', principal: 'ci', title: 'secret' });
    await admin.remove({ name: 'ci' });
    home.clock.advance(1000);
    const second = await admin.add({ name: 'ci', scopes: ['*'] });
    expect(second.principal).toMatch(/^ci#\w{8}$/);
    expect(second.notices).toEqual([
      'ci was removed on 2026-01-01; its conversations, jobs, results and usage stay with the old client. To give ' +
        "a new token the old client's data: exai access remove ci, then exai access add ci --restore",
    ]);
    expect(await admin.list()).toMatchObject([
      { name: 'ci', principal: 'ci', expires: '2026-01-01T00:00:00.000Z' },
      { name: 'ci', principal: second.principal },
    ]);
    await admin.remove({ name: 'ci' });
    const third = await admin.add({ name: 'ci', scopes: ['*'] });
    expect(new Set(await principalsOf()).size).toBe(3);
    expect(third.principal).not.toBe(second.principal);
  },
);

verifies(
  'security:client-identity',
  'a client is restored on request to the data and scopes of the last one of its name',
  async () => {
    await admin.add({ name: 'ci', scopes: ['read:*'] });
    await store.conversations.create({ id: 'conv_old', principal: 'ci', title: 'mine' });
    await admin.remove({ name: 'ci' });
    home.clock.advance(1000);
    await admin.add({ name: 'ci', scopes: ['chat'] });
    await admin.remove({ name: 'ci' });
    home.clock.advance(1000);
    const restored = await admin.add({ name: 'ci', restore: true });
    expect(restored).toMatchObject({ principal: 'ci', scopes: ['read:*'] });
    expect(restored.notices).toEqual([
      'The new token has the conversations, jobs, results and usage of the old client ci.',
    ]);
    await expect(admin.add({ name: 'ci', restore: true })).rejects.toMatchObject({
      class: 'conflict',
    });
    await expect(admin.add({ name: 'new', restore: true })).rejects.toMatchObject({
      class: 'not_found',
      field: 'restore',
    });
    await expect(admin.add({ name: 'new' })).rejects.toMatchObject({ field: 'scopes' });
  },
);

test('a name under which the store has data already counts as used', async () => {
  await store.conversations.create({ id: 'conv_old', principal: 'ci', title: 'left' });
  const added = await admin.add({ name: 'ci', scopes: ['*'] });
  expect(added.principal).toMatch(/^ci#/);
  expect(added.notices[0]).toContain('of an earlier client ci');
});

verifies(
  'security:free-scope',
  'the coverage of scopes is grouped by the cost of a call',
  async () => {
    const read = await admin.add({ name: 'ci', scopes: ['read:*', 'ask:kimi_*'] });
    const coverage = {
      free: ['status', 'route'],
      paid: ['chat'],
      changing: ['kimi_upload'],
      asking: ['kimi_upload'],
    };
    expect(read.coverage).toEqual(coverage);
    expect(await admin.coverage({ client: 'ci' })).toMatchObject({ client: 'ci', coverage });
    const free = await admin.add({ name: 'panel', scopes: ['free:*'] });
    expect(free.coverage).toEqual({
      free: ['status', 'route'],
      paid: [],
      changing: [],
      asking: [],
    });
    expect(await admin.explain({ tool: 'chat', client: 'panel' })).toMatchObject({
      verdict: 'deny',
      asksModels: true,
      because: [
        'The scope "free:*" of panel is for tools that cost nothing, and chat asks models.',
      ],
    });
    await admin.remove({ name: 'panel' });
    expect((await admin.coverage({ client: 'panel' })).coverage.free).toEqual([]);
    expect((await admin.coverage({})).coverage.paid).toEqual(['chat']);
  },
);
