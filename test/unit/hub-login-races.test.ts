import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { answerOf, browse, OWNER, REDIRECT, SERVER, useLogins } from '../login-harness.ts';
import { verifies } from '../verifies.ts';

const failure = (work: Promise<unknown>): Promise<CallError> =>
  work.then(
    () => expect.unreachable('it did not fail'),
    (thrown: unknown) => CallError.from(thrown),
  );

verifies(
  'login:bound',
  'a refresh that ends after a logout stores nothing, and its tokens are revoked',
  async () => {
    const { emulator, logIn, later, call, logins, config, files } = await useLogins();
    await logIn();
    later(2 * 3_600_000);
    emulator.fault({ id: 'slow', path: '/as/token', with: { firstMs: 300 } });
    const asked = () =>
      emulator.requests({ vendor: 'oauth' }).filter(({ path }) => path.endsWith('/as/token'));
    const before = asked().length;
    const calling = failure(call('whoami'));
    await expect.poll(() => asked().length).toBe(before + 1);
    await logins.logOut(SERVER, config());
    expect(await calling).toMatchObject({ reason: { code: 'server_login_needed' } });
    expect(files.size).toBe(0);
  },
);

verifies('login:bound', 'a login that replaced one during its refresh stays', async () => {
  const { emulator, logIn, later, call, files } = await useLogins();
  await logIn();
  later(2 * 3_600_000);
  emulator.fault({ id: 'slow', path: '/as/token', with: { firstMs: 300 } });
  const calling = call('whoami').catch(() => undefined);
  await logIn();
  const token = () => files.get(`${SERVER} ${OWNER}`)?.tokens?.accessToken;
  const mine = token();
  await calling;
  expect(token()).toBe(mine);
  expect(await call('whoami')).toContain('notes:read');
});

verifies('login:bound', 'a login that is redeemed after a logout stores nothing', async () => {
  const { emulator, logins, config, files } = await useLogins();
  const { id, url } = await logins.begin(SERVER, config(), OWNER);
  const answer = answerOf(await browse(url));
  emulator.fault({ id: 'slow', path: '/as/token', with: { firstMs: 300 } });
  const finished = logins.finish(answer);
  const asked = () =>
    emulator.requests({ vendor: 'oauth' }).filter(({ path }) => path.endsWith('/as/token'));
  await expect.poll(() => asked().length).toBe(1);
  expect(await logins.logOut(SERVER, config())).toEqual({ deleted: 0, revoked: 0 });
  expect(await finished).toMatchObject({
    is: 'failed',
    error: { message: expect.stringContaining('logged out or removed meanwhile') },
  });
  expect(await logins.wait(id, 0)).toMatchObject({ is: 'failed' });
  expect(files.size).toBe(0);
});

verifies(
  'login:bound',
  'a login that begins while its server is removed ends, and is not what a later one continues',
  async () => {
    const { emulator, logins, config, logIn, files } = await useLogins();
    emulator.fault({ id: 'slow', path: '/as/register', with: { firstMs: 300 } });
    const begun = failure(logins.begin(SERVER, config(), OWNER));
    const asked = () =>
      emulator.requests({ vendor: 'oauth' }).filter(({ path }) => path.endsWith('/register'));
    await expect.poll(() => asked().length).toBe(1);
    expect(await logins.logOut(SERVER, undefined)).toEqual({ deleted: 0, revoked: 0 });
    const later = logIn();
    expect(await begun).toMatchObject({
      reason: { code: 'server_login_failed' },
      message: expect.stringContaining('logged out or removed meanwhile'),
    });
    expect(await later).toMatchObject({ is: 'done' });
    expect(asked()).toHaveLength(2);
    await logins.logOut(SERVER, undefined);
    expect(files.size).toBe(0);
  },
);

verifies(
  'login:bound',
  'a token that EX-AI gets for itself while its server is removed is not stored',
  async () => {
    const { emulator, logins, config, call, files } = await useLogins();
    const own = config({
      login: 'client_credentials',
      clientId: 'registered-client',
      clientSecret: 'registered-secret',
    });
    emulator.fault({ id: 'slow', path: '/as/token', with: { firstMs: 300 } });
    const calling = failure(call('whoami', own));
    const asked = () =>
      emulator.requests({ vendor: 'oauth' }).filter(({ path }) => path.endsWith('/as/token'));
    await expect.poll(() => asked().length).toBe(1);
    await logins.logOut(SERVER, undefined);
    expect(await calling).toMatchObject({ reason: { code: 'server_login_failed' } });
    expect(files.size).toBe(0);
  },
);

verifies(
  'login:refresh',
  'a token that a full disk does not store is used all the same',
  async () => {
    const { logIn, call, later, files, logged } = await useLogins();
    await logIn();
    const stored = files.get(`${SERVER} ${OWNER}`);
    later(2 * 3_600_000);
    files.set = () => {
      throw Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' });
    };
    expect(await call('whoami')).toContain('notes:read');
    expect(files.get(`${SERVER} ${OWNER}`)).toBe(stored);
    expect(logged.join('\n')).toContain('upstream_login_not_saved');
    later(2 * 3_600_000);
    // The refresh token that was not stored is the one that works.
    expect(await call('whoami')).toContain('notes:read');
  },
);

verifies(
  'login:scopes',
  'a server cannot make the scopes of a login grow without an end',
  async () => {
    const { emulator, call, config, files } = await useLogins();
    const own = config({
      login: 'client_credentials',
      clientId: 'registered-client',
      clientSecret: 'registered-secret',
    });
    const many = Array.from({ length: 2_000 }, (_, at) => `scope:${at}`).join(' ');
    const key = `${SERVER} ${OWNER}`;
    files.set(key, {
      server: SERVER,
      url: own.url,
      principal: OWNER,
      configuredClient: 'registered-client',
      issuer: `${emulator.url}/oauth/as`,
      authorizationServerUrl: `${emulator.url}/oauth/as`,
      requestedScope: many,
      client: { client_id: 'registered-client', client_secret: 'registered-secret' },
      tokens: { accessToken: 'an-old-token' },
    });
    expect(await failure(call('whoami', own))).toMatchObject({ class: 'permission' });
    expect(files.get(key)?.requestedScope).toBe(many);
    const tokens = ({ path }: { path: string }) => path.endsWith('/as/token');
    expect(emulator.requests({ vendor: 'oauth' }).filter(tokens)).toEqual([]);
  },
);

test('logins at the same time share one, and 64 may wait', async () => {
  const { emulator, logins, config } = await useLogins();
  const begun = await Promise.all(
    Array.from({ length: 10 }, () => logins.begin(SERVER, config(), OWNER)),
  );
  expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
  expect(begun[0]?.redirectUrl).toBe(REDIRECT);
  const registrations = emulator
    .requests({ vendor: 'oauth' })
    .filter(({ path }) => path.endsWith('/register'));
  expect(registrations).toHaveLength(1);
  const many = Array.from({ length: 70 }, (_, at) => logins.begin(SERVER, config(), `p${at}`));
  await Promise.all(many);
  expect(await logins.wait(begun[0]?.id ?? '', 0)).toMatchObject({ is: 'failed' });
});
