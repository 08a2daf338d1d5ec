import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { LoginStatus } from '#core/hub/upstream-login.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { HttpAuthorization, Refusal } from '../connection/http/http-authorization.ts';
import { hasScopes, joinScopes, parseChallenge, shownScopes, type Challenge } from './challenge.ts';
import { loginNeeded } from './login-needed.ts';
import { loggedOut } from './pending-logins.ts';
import type { LoginFiles, LoginTokens, StoredLogin } from './stored-login.ts';
import type { AuthorizationAccess, WithAuthorizationServer } from './with-authorization-server.ts';

/** The login of one principal at one server. */
export interface LoginSlot {
  readonly principal: string;
  /** Of a connection with these settings. */
  authorization(config: UpstreamConfig): HttpAuthorization;
  status(config: UpstreamConfig): LoginStatus;
  /** What the server asked for; undefined if it did not. */
  needed(): Challenge | undefined;
  /** The login that is stored for these settings. */
  stored(config: UpstreamConfig): StoredLogin | undefined;
  save(login: StoredLogin): void;
  /** Forgets what is in memory and in the file. */
  remove(): void;
}

interface LoginSlotOptions {
  readonly server: string;
  readonly principal: string;
  readonly files: LoginFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** Texts that no log may show from now on. */
  readonly hide: (secrets: readonly string[]) => void;
  readonly withAuthorizationServer: WithAuthorizationServer;
  /** A login was asked for, or was made or deleted. */
  readonly onChange: (change: 'needed' | 'changed') => void;
}

/** How long before its end a token is refreshed. */
const EARLY_MS = 30_000;
/** A token that is refused so soon after it was given is refused for what it is. */
const FRESH_MS = 10_000;
/** A server that wants others with each refusal would make the login larger each time. */
const MAX_SCOPE_CHARS = 16_384;

export function createLoginSlot(options: LoginSlotOptions): LoginSlot {
  const { server, principal, files, clock, log, hide, withAuthorizationServer } = options;
  let login: StoredLogin | undefined;
  let isLoaded = false;
  let needed: Challenge | undefined;
  let gotAt = -Infinity;
  /** The header that the server has taken. */
  let proven: string | undefined;
  let renewing: Promise<void> | undefined;
  /** How often it was logged out. */
  let removals = 0;

  function current(): StoredLogin | undefined {
    if (!isLoaded) {
      isLoaded = true;
      login = files.read(server, principal);
      if (login) hideSecrets(login);
    }
    return login;
  }

  /** A login is of no use for another address or another client than its own. */
  function storedFor({ url, clientId = '' }: UpstreamConfig): StoredLogin | undefined {
    const found = current();
    return found?.url === url && found.configuredClient === clientId ? found : undefined;
  }

  function hideSecrets({ tokens, client }: StoredLogin): void {
    const { accessToken, refreshToken } = tokens ?? {};
    hide([accessToken, refreshToken, client.client_secret].filter((text) => text !== undefined));
  }

  /** On the disk before it is used: a refresh token that was replaced works only one time. */
  function save(next: StoredLogin): void {
    hideSecrets(next);
    files.write(next);
    keep(next);
  }

  /** What cannot be stored, as on a full disk, works until the end of the daemon: what was before it no longer does. */
  function saveOrKeep(next: StoredLogin): void {
    try {
      save(next);
    } catch (thrown) {
      log.error('upstream_login_not_saved', { server, error: CallError.from(thrown).toJSON() });
      keep(next);
    }
  }

  function keep(next: StoredLogin): void {
    login = next;
    isLoaded = true;
    if (next.tokens) {
      gotAt = clock.monotonic();
      needed = undefined;
    }
    options.onChange('changed');
  }

  function tokensFor(config: UpstreamConfig): LoginTokens | undefined {
    return storedFor(config)?.tokens;
  }

  function bearer(config: UpstreamConfig): string | undefined {
    const tokens = tokensFor(config);
    return tokens && `Bearer ${tokens.accessToken}`;
  }

  /** One at a time, for all calls that wait for it. */
  function renewOnce(work: () => Promise<void>): Promise<void> {
    if (renewing) return renewing;
    const own = work().finally(() => {
      if (renewing === own) renewing = undefined;
    });
    renewing = own;
    return own;
  }

  async function refresh(config: UpstreamConfig, refused: Challenge | undefined): Promise<void> {
    const before = storedFor(config);
    const { tokens } = before ?? {};
    if (!before || !tokens?.refreshToken) return;
    try {
      await withAuthorizationServer(server, config, new LightAbortController(), async (at) => {
        if (refused) await at.requireSameServer(before, refused);
        const next = await at.engine.refreshTokens(at.context, before, tokens);
        // The user logged out, or in again, while the authorization server answered.
        if (!login) return revoke(at, before, next);
        if (login !== before) return;
        saveOrKeep({ ...before, tokens: next });
        log.info('upstream_login_refreshed', { server });
      });
    } catch (thrown) {
      const error = CallError.from(thrown);
      log.warn('upstream_login_not_refreshed', { server, error: error.toJSON() });
      if (await isOver(error)) dropTokens(before);
      throw error;
    }
  }

  /** Tokens that no one will use. */
  async function revoke(
    { engine, context }: AuthorizationAccess,
    target: StoredLogin,
    { accessToken, refreshToken }: LoginTokens,
  ): Promise<void> {
    hide([accessToken, refreshToken].filter((text) => text !== undefined));
    if (refreshToken !== undefined)
      await engine.revokeToken(context, target, refreshToken, 'refresh_token');
    await engine.revokeToken(context, target, accessToken, 'access_token');
  }

  async function isOver(error: CallError): Promise<boolean> {
    const { isLoginOver } = await import('./login-errors.ts');
    return isLoginOver(error);
  }

  /** Whether the server names another authorization server now; the tokens are then dropped. */
  async function hasMoved(config: UpstreamConfig, challenge: Challenge): Promise<boolean> {
    const before = storedFor(config);
    if (!before) return true;
    try {
      await withAuthorizationServer(server, config, new LightAbortController(), (at) =>
        at.requireSameServer(before, challenge),
      );
      return false;
    } catch (thrown) {
      if (!(await isOver(CallError.from(thrown)))) return false;
      dropTokens(before);
      return true;
    }
  }

  /**
   * Its client is kept, so that the next login need not register another one. A login that replaced
   * it meanwhile stays.
   */
  function dropTokens(before: StoredLogin): void {
    const { tokens, ...rest } = before;
    if (tokens && login === before) saveOrKeep(rest);
  }

  /** A token for EX-AI itself. */
  function getOwn(config: UpstreamConfig, challenge: Challenge): Promise<void> {
    const before = removals;
    return withAuthorizationServer(server, config, new LightAbortController(), async (at) => {
      const { engine, context } = at;
      const discovered = await engine.discover(context, challenge);
      const { authorizationServerUrl, issuer, resource } = discovered;
      engine.requireKnownIssuer(server, storedFor(config), discovered);
      const scope = engine.scopeOf(
        { config },
        discovered,
        joinScopes(storedFor(config)?.requestedScope, challenge.scope),
      );
      if ((scope ?? '').length > MAX_SCOPE_CHARS) throw scopesRefused(server, undefined);
      const metadata = engine.keptMetadata(discovered.metadata);
      const next: StoredLogin = {
        server,
        url: config.url,
        principal,
        configuredClient: config.clientId ?? '',
        issuer,
        authorizationServerUrl,
        ...(metadata && { metadata }),
        ...(resource !== undefined && { resource }),
        ...(scope !== undefined && { requestedScope: scope }),
        client: engine.configuredClient(config),
      };
      const tokens = await engine.ownTokens(context, next);
      if (removals === before) return saveOrKeep({ ...next, tokens });
      await revoke(at, next, tokens);
      throw loggedOut(server);
    });
  }

  function need(challenge: Challenge): CallError {
    const isNew = needed?.scope !== challenge.scope || !needed;
    needed = challenge;
    if (isNew) options.onChange('needed');
    return loginNeeded(server, challenge.scope);
  }

  async function unauthorized(
    config: UpstreamConfig,
    { challenge: header, used }: Refusal,
  ): Promise<'again' | CallError> {
    const challenge = parseChallenge(header) ?? {};
    const now = bearer(config);
    if (now !== undefined && now !== used) return 'again';
    const isFresh = now !== undefined && now !== proven && clock.monotonic() - gotAt < FRESH_MS;
    if (isFresh && !renewing && !(await hasMoved(config, challenge))) {
      need(challenge);
      return tokenRefused(server);
    }
    try {
      if (config.login === 'client_credentials') {
        await renewOnce(() => getOwn(config, challenge));
        return 'again';
      }
      if (tokensFor(config)?.refreshToken) {
        await renewOnce(() => refresh(config, challenge));
        return 'again';
      }
    } catch (thrown) {
      const error = CallError.from(thrown);
      // With the tokens still there, it may work later.
      if (config.login === 'client_credentials' || tokensFor(config)) return error;
    }
    return need(challenge);
  }

  async function moreScopes(
    config: UpstreamConfig,
    challenge: Challenge,
    used: string | undefined,
  ): Promise<'again' | CallError> {
    const now = bearer(config);
    if (now !== undefined && now !== used) return 'again';
    const { requestedScope, tokens } = storedFor(config) ?? {};
    // It was asked for already, and the server still wants it.
    const isAsked = challenge.scope === undefined || hasScopes(requestedScope, challenge.scope);
    if (tokens && isAsked) return scopesRefused(server, challenge.scope);
    const scope = joinScopes(requestedScope, tokens?.scope, challenge.scope);
    const wanted = { ...challenge, ...(scope !== undefined && { scope }) };
    if (config.login !== 'client_credentials') return need(wanted);
    try {
      await renewOnce(() => getOwn(config, wanted));
      return 'again';
    } catch (thrown) {
      return CallError.from(thrown);
    }
  }

  return {
    principal,
    authorization: (config) => ({
      header() {
        const tokens = tokensFor(config);
        const isEnding =
          tokens?.refreshToken !== undefined &&
          (tokens.expiresAt ?? Infinity) - EARLY_MS < clock.now();
        if (!isEnding) return bearer(config);
        return renewOnce(() => refresh(config, undefined)).then(
          () => bearer(config),
          (thrown: unknown) => {
            const left = tokensFor(config);
            // Gone for good: the server says what it wants. Otherwise it may still be valid.
            if (!left || (left.expiresAt ?? Infinity) > clock.now()) return bearer(config);
            throw thrown;
          },
        );
      },
      accepted(used) {
        proven = used;
      },
      async refused(refusal) {
        if (refusal.status === 401) return unauthorized(config, refusal);
        const challenge = parseChallenge(refusal.challenge);
        if (challenge?.error !== 'insufficient_scope') return 'other';
        return moreScopes(config, challenge, refusal.used);
      },
    }),
    status(config) {
      if (needed) return 'needed';
      return tokensFor(config) ? 'done' : 'none';
    },
    needed: () => needed,
    stored: storedFor,
    save,
    remove() {
      files.remove(server, principal);
      removals += 1;
      renewing = undefined;
      login = undefined;
      isLoaded = true;
      needed = undefined;
      options.onChange('changed');
    },
  };
}

function tokenRefused(server: string): CallError {
  const problem = 'the server refuses the token that its authorization server has just given';
  return codedError('auth', reason('server_login_failed', { server, problem }), {
    fix: `Log in again with: exai servers login ${server}`,
  });
}

function scopesRefused(server: string, refused: string | undefined): CallError {
  const scope = shownScopes(refused);
  const wanted = scope === undefined ? 'more scopes' : `the scopes ${scope}`;
  const problem = `the server wants ${wanted}, which the login did not give`;
  return codedError('permission', reason('server_login_failed', { server, problem }), {
    fix: `Log in with an account that may have them: exai servers login ${server}`,
  });
}
