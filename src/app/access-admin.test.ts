import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decide } from '#calls/decide.ts';
import type { AccessAdmin } from '#core/access-admin.ts';
import { ACCESS_METHODS } from '#core/access-admin.ts';
import { createIds } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open.ts';
import { createListLog, type ListLog } from '../../test/list-log.ts';
import { makeStoreHome, type StoreHome } from '../../test/stores.ts';
import { verifies } from '../../test/verifies.ts';
import { createAccessAdmin } from './access-admin.ts';
import { ownMethods } from './own-methods.ts';

let home: StoreHome;
let store: Store;
let admin: AccessAdmin;
let revoked: string[] = [];
let drawn: number;
let log: ListLog;

const TOOLS = [
  { name: 'status', tier: 'user', annotations: { readOnlyHint: true } },
  { name: 'kimi_upload', tier: 'user', annotations: { readOnlyHint: false } },
  { name: 'route', tier: 'backend', annotations: { readOnlyHint: true } },
] as const;

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
    decide(caller, name) {
      const tool = TOOLS.find((each) => each.name === name);
      if (!tool) return { verdict: 'deny', because: [`There is no tool "${name}".`] };
      const hints = { destructiveHint: false, idempotentHint: true, openWorldHint: false };
      return decide(caller, { ...tool, annotations: { ...tool.annotations, ...hints } });
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

verifies('access:tokens', 'a client gets a token once, and only its digest is kept', async () => {
  const added = await admin.add({ name: 'laptop', scopes: ['read:*'] });
  expect(added.token).toMatch(/^exai_[\w-]{43}$/);
  const [kept] = await store.clients.list();
  expect(kept).toMatchObject({ name: 'laptop', tokenSha256: hash('sha256', added.token) });
  expect(JSON.stringify(await store.clients.list())).not.toContain(added.token);
  expect(await admin.list()).toEqual([
    { name: 'laptop', scopes: ['read:*'], created: '2026-01-01T00:00:00.000Z' },
  ]);
  const other = await admin.add({ name: 'ci', scopes: ['*'] });
  expect(other.token).not.toBe(added.token);
});

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
      because: ['The token of laptop was taken away.'],
    });
    await expect(admin.remove({ name: 'laptop' })).rejects.toMatchObject({ class: 'not_found' });
    await expect(admin.remove({ name: 'labtop' })).rejects.toMatchObject({
      class: 'not_found',
      message: 'There is no client "labtop", did you mean "laptop"?',
    });
  },
);

test('a name belongs to one client, also when two want it at once', async () => {
  const both = await Promise.allSettled([
    admin.add({ name: 'twin', scopes: ['*'] }),
    admin.add({ name: 'twin', scopes: ['read:*'] }),
  ]);
  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { class: 'conflict', field: 'name' } },
  ]);
});

test.each(['', 'Laptop', '-x', 'a'.repeat(65), 'a b', 'local', '__proto__', 'x\n'])(
  'the name %j is refused',
  async (name) => {
    await expect(admin.add({ name, scopes: ['*'] })).rejects.toMatchObject({
      class: 'validation',
      field: 'name',
    });
  },
);

test.each([
  ['reed:*', '"reed:*" is not a scope, did you mean "read:*"?'],
  ['@nobody', '"@nobody" is not a scope.'],
  ['read:', '"read:" is not a scope.'],
  ['a b', '"a b" is not a scope.'],
])('the scope %j is refused with words', async (scope, message) => {
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
])('$scopes on $tool is explained as $verdict', async ({ scopes, tool, verdict }) => {
  await admin.add({ name: 'laptop', scopes });
  const explained = await admin.explain({ tool, client: 'laptop', agent: 'coder' });
  expect(explained).toMatchObject({ tool, client: 'laptop', agent: 'coder', scopes, verdict });
  expect(explained.because.length).toBeGreaterThan(0);
});

verifies('access:explain', 'without a client, the owner of the machine is meant', async () => {
  expect(await admin.explain({ tool: 'status' })).toMatchObject({
    client: 'local',
    verdict: 'allow',
  });
});

verifies('access:log', 'who was added and removed is in the log, and no token', async () => {
  const { token } = await admin.add({ name: 'laptop', scopes: ['read:*'] });
  await admin.remove({ name: 'laptop' });
  const fields = { name: 'laptop', scopes: ['read:*'] };
  expect(log.lines).toEqual([
    { event: 'client_added', fields },
    { event: 'client_removed', fields },
  ]);
  expect(revoked).toHaveLength(1);
  expect(JSON.stringify(log.lines)).not.toContain(token);
});

test('a client is as old as its line of tokens: one that came back is new', async () => {
  await admin.add({ name: 'laptop', scopes: ['*'] });
  home.clock.advance(1000);
  const [first] = await store.clients.list();
  const next = {
    id: 'client_2' as const,
    name: 'laptop',
    tokenSha256: 'b'.repeat(64),
    scopes: ['*'],
  };
  await store.clients.replace(first?.id ?? '', next, home.clock.now() + 500);
  expect(await admin.list()).toMatchObject([{ created: '2026-01-01T00:00:00.000Z' }]);
  home.clock.advance(1000);
  await admin.remove({ name: 'laptop' });
  home.clock.advance(1000);
  await admin.add({ name: 'laptop', scopes: ['read:*'] });
  expect(await admin.list()).toEqual([
    { name: 'laptop', scopes: ['read:*'], created: '2026-01-01T00:00:03.000Z' },
  ]);
});

test('a scope that names no tool is taken, with a word about it', async () => {
  const scopes = ['statsu', 'deny:kimi_*', 'read:*', '@backend', 'ask:xyzzy*'];
  expect((await admin.add({ name: 'laptop', scopes })).warnings).toEqual([
    'The scope "statsu" names no tool that is there now, did you mean "status"?',
    'The scope "ask:xyzzy*" names no tool that is there now.',
  ]);
});

test('what is said of an unknown tool says that it is unknown', async () => {
  expect(await admin.explain({ tool: 'status' })).toMatchObject({ toolIs: 'known' });
  expect(await admin.explain({ tool: 'statsu' })).toMatchObject({
    toolIs: 'unknown',
    verdict: 'deny',
  });
});

test('the methods on the wire check what they are given', async () => {
  const methods = ownMethods({ access: admin, allTools: () => [], notices: () => [] });
  const call = (method: string, params?: unknown) => methods[method]?.(params);
  await call(ACCESS_METHODS.add, { name: 'laptop', scopes: ['*'] });
  expect(await call(ACCESS_METHODS.list)).toMatchObject({ clients: [{ name: 'laptop' }] });
  expect(await call('exai/tools/all')).toEqual({ tools: [] });
  const wrong: [string, unknown][] = [
    [ACCESS_METHODS.add, undefined],
    [ACCESS_METHODS.add, []],
    [ACCESS_METHODS.add, { name: 'x' }],
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
