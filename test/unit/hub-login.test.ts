import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { answerOf, browse, OWNER, REDIRECT, SERVER, useLogins } from '../login-harness.ts';
import { verifies } from '../verifies.ts';

const failure = (work: Promise<unknown>): Promise<CallError> =>
  work.then(
    () => expect.unreachable('it did not fail'),
    (thrown: unknown) => CallError.from(thrown),
  );

const ALL = { times: 0 };

verifies('login:flow', 'a login by a client that registers itself is used for calls', async () => {
  const { emulator, logIn, call, files, logins, config } = await useLogins();
  const needed = await failure(call('whoami'));
  expect(needed).toMatchObject({
    class: 'auth',
    reason: { code: 'server_login_needed' },
    fix: `Log in with: exai servers login ${SERVER}`,
  });
  expect(logins.status(SERVER, config(), OWNER)).toBe('needed');
  expect(await logIn()).toEqual({ is: 'done', server: SERVER });
  expect(await call('whoami')).toContain('notes:read');
  expect(logins.status(SERVER, config(), OWNER)).toBe('done');
  expect(files.get(`${SERVER} ${OWNER}`)).toMatchObject({
    issuer: `${emulator.url}/oauth/as`,
    resource: `${emulator.url}/oauth/mcp`,
  });
});

verifies(
  'login:flow',
  'a registered client is used, and a document where it is understood',
  async () => {
    const documents = 'https://client.example/exai.json';
    const { emulator, logIn, call, config, logins } = await useLogins({
      clientMetadataUrl: documents,
    });
    const registered = config({ clientId: 'registered-client', clientSecret: 'registered-secret' });
    expect(await logIn(registered)).toMatchObject({ is: 'done' });
    expect(await call('whoami', registered)).toContain('notes:read');
    emulator.switches['oauth']!['documents'] = true;
    const { url } = await logins.begin(SERVER, config(), OWNER);
    expect(new URL(url).searchParams.get('client_id')).toBe(documents);
    expect(await logins.finish(answerOf(await browse(url)))).toMatchObject({ is: 'done' });
    expect(await call('whoami')).toContain('notes:read');
  },
);

verifies('login:own', 'a client of its own gets tokens without a user', async () => {
  const { call, config, logins, later } = await useLogins();
  const own = config({
    login: 'client_credentials',
    clientId: 'registered-client',
    clientSecret: 'registered-secret',
  });
  expect(await call('whoami', own)).toContain('notes:read');
  later(2 * 3_600_000);
  expect(await call('whoami', own)).toContain('notes:read');
  expect(await call('write_note', own)).toContain('notes:write');
  expect(await failure(logins.begin(SERVER, own, OWNER))).toMatchObject({
    class: 'not_configured',
  });
});

verifies(
  'login:refresh',
  'a token is refreshed before its end and after a refusal, once for many calls',
  async () => {
    const { emulator, logIn, call, later, files } = await useLogins();
    await logIn();
    const refreshes = () =>
      emulator.requests({ vendor: 'oauth' }).filter(({ path }) => path.endsWith('/token')).length -
      1;
    const token = () => files.get(`${SERVER} ${OWNER}`)?.tokens;
    const first = token();
    later(3_590_000);
    await Promise.all(Array.from({ length: 8 }, () => call('whoami')));
    expect(refreshes()).toBe(1);
    expect(token()?.refreshToken).not.toBe(first?.refreshToken);
    later(20_000);
    emulator.fault({ id: 'F25.expired', path: '/mcp' });
    expect(await call('whoami')).toContain('notes:read');
    expect(refreshes()).toBe(2);
  },
);

verifies(
  'login:refresh',
  'a refresh that is refused for good needs a login, and others do not',
  async () => {
    const { emulator, logIn, call, later, logins, config, files } = await useLogins();
    await logIn();
    later(3_590_000);
    emulator.fault({ id: 'F5.reset', path: '/as/token', ...ALL });
    expect(await call('whoami')).toContain('notes:read');
    later(20_000);
    expect(await failure(call('whoami'))).toMatchObject({
      reason: { code: 'server_login_failed' },
    });
    expect(logins.status(SERVER, config(), OWNER)).toBe('done');
    emulator.clearFaults();
    emulator.fault({ id: 'F25.revoked', path: '/as/token' });
    expect(await failure(call('whoami'))).toMatchObject({
      reason: { code: 'server_login_needed' },
    });
    expect(files.get(`${SERVER} ${OWNER}`)?.tokens).toBeUndefined();
    const client = files.get(`${SERVER} ${OWNER}`)?.client.client_id;
    expect(await logIn()).toMatchObject({ is: 'done' });
    expect(files.get(`${SERVER} ${OWNER}`)?.client.client_id).toBe(client);
  },
);

const ATTACKS: readonly (readonly [string, string])[] = [
  ['F25.metadataissuer', 'name another issuer'],
  ['F25.nos256', 'does not support PKCE'],
  ['F25.resource', 'is for another address'],
  ['F25.private', 'not https'],
  ['F25.plain', 'not https'],
  ['F25.garbage', 'cannot be read'],
  ['F25.huge', 'more than 262144 bytes'],
  ['F25.loop', 'does not answer as OAuth requires'],
  ['F25.noregistration', 'does not register'],
];

verifies('login:attacks', 'a login is not begun with metadata that cannot be trusted', async () => {
  const { emulator, logins, config, call } = await useLogins();
  await failure(call('whoami'));
  for (const [id, problem] of ATTACKS) {
    emulator.fault({ id, ...ALL });
    const error = await failure(logins.begin(SERVER, config(), OWNER));
    expect([id, error.message]).toEqual([id, expect.stringContaining(problem)]);
    expect([id, error.reason?.code]).toEqual([id, 'server_login_failed']);
    emulator.clearFaults();
  }
  expect(ATTACKS.length).toBeGreaterThanOrEqual(9);
});

verifies('login:attacks', 'an answer that is not of this login gives no token', async () => {
  const { emulator, logins, config, files } = await useLogins();
  const tokenRequests = () =>
    emulator.requests({ vendor: 'oauth' }).filter(({ path }) => path.endsWith('/token')).length;
  const ended = async (id: string) => logins.wait(id, 0);

  emulator.fault({ id: 'F25.issuer', ...ALL });
  const mixed = await logins.begin(SERVER, config(), OWNER);
  const location = await browse(mixed.url);
  expect(await logins.finish(answerOf(location))).toMatchObject({ is: 'failed' });
  expect(await ended(mixed.id)).toMatchObject({
    is: 'failed',
    message: expect.stringContaining('another authorization server'),
  });
  emulator.clearFaults();

  emulator.fault({ id: 'F25.denied', path: '/as/authorize' });
  const denied = await logins.begin(SERVER, config(), OWNER);
  await logins.finish(answerOf(await browse(denied.url)));
  expect(await ended(denied.id)).toMatchObject({
    message: expect.stringContaining('refused in the browser'),
  });

  const login = await logins.begin(SERVER, config(), OWNER);
  const right = await browse(login.url);
  const changed = (change: (url: URL) => void) => {
    const url = new URL(right);
    change(url);
    return answerOf(url.href);
  };
  const unknown = { is: 'unknown' };
  expect(await logins.finish(changed((url) => url.searchParams.set('state', 'x')))).toEqual(
    unknown,
  );
  expect(await logins.finish(changed((url) => url.searchParams.delete('state')))).toEqual(unknown);
  expect(await logins.finish(changed((url) => url.searchParams.append('state', 'x')))).toEqual(
    unknown,
  );
  expect(await logins.finish(changed((url) => (url.port = '9999')))).toEqual(unknown);
  expect(await logins.finish(changed((url) => (url.hostname = 'localhost')))).toEqual(unknown);
  expect(await logins.finish(changed((url) => (url.pathname = '/oauth/callback/')))).toEqual(
    unknown,
  );
  expect(tokenRequests()).toBe(0);
  expect(files.size).toBe(0);
  expect(await logins.finish(answerOf(right))).toEqual({ is: 'done', server: SERVER });
  expect(await logins.finish(answerOf(right))).toEqual(unknown);
  expect(tokenRequests()).toBe(1);
});

verifies('login:attacks', 'a login page with a very long address is not opened', async () => {
  const { emulator, logins, config } = await useLogins();
  emulator.fault({ id: 'F25.manyscopes', ...ALL });
  const error = await failure(logins.begin(SERVER, config(), OWNER));
  expect(error.message).toContain('has more than 16384 characters');
  const { url } = await logins.begin(SERVER, config({ scopes: ['notes:read'] }), OWNER);
  expect(new URL(url).searchParams.get('scope')).toBe('notes:read');
});

verifies('login:files', 'a token that the server quotes reaches no caller', async () => {
  const { emulator, logIn, call, files } = await useLogins();
  await logIn();
  await call('whoami');
  emulator.fault({ id: 'F25.echo', path: '/mcp', ...ALL });
  const error = await failure(call('whoami'));
  expect(error.message).toContain('The token was [token].');
  const secret = files.get(`${SERVER} ${OWNER}`)?.tokens?.accessToken ?? '';
  expect(secret.length).toBeGreaterThan(8);
  expect(JSON.stringify(error.toJSON())).not.toContain(secret);
});

verifies(
  'login:attacks',
  'a token for another server is refused, and not asked for again and again',
  async () => {
    const { emulator, logIn, call } = await useLogins();
    emulator.fault({ id: 'F25.audience', path: '/as/token' });
    await logIn();
    const before = emulator.requests({ vendor: 'oauth' }).length;
    expect(await failure(call('whoami'))).toMatchObject({
      class: 'auth',
      message: expect.stringContaining('refuses the token'),
    });
    expect(emulator.requests({ vendor: 'oauth' }).length - before).toBeLessThanOrEqual(2);
  },
);

verifies(
  'login:bound',
  'a login is used for its own address, client and principal alone',
  async () => {
    const { emulator, logIn, call, config } = await useLogins();
    await logIn();
    const other = emulator.url.replace('127.0.0.1', 'localhost');
    const elsewhere = config({ url: `${other}/oauth/mcp` });
    for (const [settings, principal] of [
      [elsewhere, OWNER],
      [config({ clientId: 'registered-client' }), OWNER],
      [config(), 'laptop'],
    ] as const) {
      expect(await failure(call('whoami', settings, principal))).toMatchObject({
        reason: { code: 'server_login_needed' },
      });
    }
    const sent = emulator
      .requests({ vendor: 'oauth' })
      .filter(({ headers }) => headers['authorization'] !== undefined);
    expect(sent).toEqual([]);
    const withHeader = config({ headers: { Authorization: 'Bearer mine' } });
    expect(await failure(call('whoami', withHeader))).toMatchObject({
      reason: { code: 'server_unauthorized' },
    });
  },
);

verifies('login:scopes', 'more scopes need one more login, and no third', async () => {
  const { emulator, logIn, call, logins, config } = await useLogins();
  await logIn();
  expect(await failure(call('write_note'))).toMatchObject({
    reason: { code: 'server_login_needed', params: { scope: 'notes:read notes:write' } },
  });
  expect(await call('whoami')).toContain('notes:read');
  expect(await logIn()).toMatchObject({ is: 'done' });
  expect(await call('write_note')).toContain('notes:write');
  emulator.fault({ id: 'F25.scope', ...ALL });
  expect(await failure(call('write_note'))).toMatchObject({ class: 'permission' });
  expect(logins.status(SERVER, config(), OWNER)).toBe('done');
});

verifies('login:bound', 'a logout deletes the tokens first, and revokes them', async () => {
  const { emulator, logIn, call, logins, config, files } = await useLogins();
  await logIn();
  emulator.fault({ id: 'F5.reset', path: '/as/revoke' });
  expect(await logins.logOut(SERVER, config())).toEqual({ deleted: 1, revoked: 0 });
  expect(files.size).toBe(0);
  await logIn();
  expect(await logins.logOut(SERVER, config())).toEqual({ deleted: 1, revoked: 1 });
  expect(await logins.logOut(SERVER, config())).toEqual({ deleted: 0, revoked: 0 });
  expect(await failure(call('whoami'))).toMatchObject({
    reason: { code: 'server_login_needed' },
  });
});

verifies(
  'login:attacks',
  'the secret of a configured client goes to no authorization server that is named later',
  async () => {
    const client = { clientId: 'registered-client', clientSecret: 'registered-secret' };
    for (const login of ['auto', 'client_credentials'] as const) {
      const { emulator, call, config, files, logins } = await useLogins();
      const settings = config({ ...client, login });
      files.set(`${SERVER} ${OWNER}`, {
        server: SERVER,
        url: settings.url,
        principal: OWNER,
        configuredClient: client.clientId,
        issuer: 'https://other.example',
        authorizationServerUrl: 'https://other.example',
        client: { client_id: client.clientId },
      });
      const begin = () => logins.begin(SERVER, settings, OWNER);
      const error = await failure(login === 'auto' ? begin() : call('whoami', settings));
      expect(error).toMatchObject({
        class: 'auth',
        fix: `If its operator announced that, forget the old login with: exai servers logout ${SERVER}`,
      });
      const tokens = ({ path }: { path: string }) => path.endsWith('/as/token');
      expect(emulator.requests({ vendor: 'oauth' }).filter(tokens)).toEqual([]);
      await logins.logOut(SERVER, settings);
      await (login === 'auto' ? begin() : call('whoami', settings));
    }
  },
);

verifies(
  'login:files',
  'every secret of a login is named to the redactor, and none is logged',
  async () => {
    const { emulator, logIn, later, call, files, hidden, logged } = await useLogins();
    await logIn();
    later(3_590_000);
    await call('whoami');
    emulator.fault({ id: 'F25.revoked', path: '/as/token' });
    later(3_590_000);
    await failure(call('whoami'));
    const tokens = hidden.filter((text) => /^(?:access|refresh|code)_/.test(text));
    expect(new Set(tokens).size).toBeGreaterThanOrEqual(5);
    for (const secret of hidden) {
      expect(logged.join('\n')).not.toContain(secret);
    }
    expect(files.size).toBe(1);
  },
);

verifies(
  'login:callback',
  'a proxy may end TLS, and change nothing else of the address',
  async () => {
    const { emulator, logins, config, files } = await useLogins();
    const settings = config({ redirectUrl: 'https://exai.example:8443/oauth/callback' });
    const { url } = await logins.begin(SERVER, settings, OWNER);
    const answerAt = (address: string) => ({ ...answerOf(location), address });
    const location = await browse(url);
    for (const address of [
      'http://exai.example/oauth/callback',
      'http://other.example:8443/oauth/callback',
      'http://exai.example:8443/oauth/callback/',
      'ftp://exai.example:8443/oauth/callback',
    ]) {
      expect(await logins.finish(answerAt(address))).toEqual({ is: 'unknown' });
    }
    expect(await logins.finish(answerAt('http://exai.example:8443/oauth/callback'))).toMatchObject({
      is: 'done',
    });
    expect(files.size).toBe(1);
    const [registered] = emulator
      .requests({ vendor: 'oauth' })
      .filter(({ path }) => path.endsWith('/register'));
    expect(registered?.body).toMatchObject({ application_type: 'web' });
  },
);

verifies(
  'login:flow',
  'a client at a loopback address registers itself as a native one',
  async () => {
    const { emulator, logins, config } = await useLogins();
    await logins.begin(SERVER, config(), OWNER);
    const [request] = emulator
      .requests({ vendor: 'oauth' })
      .filter(({ path }) => path.endsWith('/register'));
    expect(request?.body).toMatchObject({ application_type: 'native', redirect_uris: [REDIRECT] });
  },
);
