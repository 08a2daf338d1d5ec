import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { LoginBegun, LoginProgress } from '#core/hub/upstream-login.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Discovered } from './discover-server.ts';
import type { LoginClient, StoredLogin } from './stored-login.ts';
import type { WithAuthorizationServer } from './with-authorization-server.ts';

/** What an authorization server sent the browser back with. */
export interface LoginAnswer {
  /** The address without its query, as the browser asked for it. */
  readonly address: string;
  readonly params: URLSearchParams;
}

/** The result for the user's page. `unknown`: no login waits for this answer. */
export type FinishedLogin =
  | { readonly is: 'done'; readonly server: string }
  | { readonly is: 'failed'; readonly server: string; readonly error: CallError }
  | { readonly is: 'unknown' };

interface NewLogin {
  readonly server: string;
  readonly config: UpstreamConfig;
  readonly principal: string;
  readonly redirectUrl: string;
  readonly discovered: Discovered;
  readonly client: LoginClient;
  /** The scopes of the server's refusal. */
  readonly wanted: string | undefined;
  readonly requestedScope: string | undefined;
  /** Aborted when its server is logged out or removed while it begins. */
  readonly signal: AbortSignalLike;
  readonly start: (
    state: string,
  ) => Promise<{ readonly url: string; readonly codeVerifier: string }>;
  readonly save: (login: StoredLogin) => void;
}

interface PendingLogin extends NewLogin {
  readonly id: string;
  readonly url: string;
  readonly codeVerifier: string;
  readonly endsAt: number;
  readonly timer: Timer;
}

/** Logins that wait for their users. */
export interface PendingLogins {
  /** One that waits already, for the same scopes. */
  find(
    server: string,
    url: string,
    principal: string,
    wanted: string | undefined,
  ): LoginBegun | undefined;
  add(login: NewLogin): Promise<LoginBegun>;
  wait(id: string, timeoutMs: number): Promise<LoginProgress>;
  finish(answer: LoginAnswer): Promise<FinishedLogin>;
  /** Ends those of a server. */
  drop(server: string): void;
  close(): void;
}

interface PendingLoginsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly hide: (secrets: readonly string[]) => void;
  readonly withAuthorizationServer: WithAuthorizationServer;
}

const PENDING_MS = 10 * 60_000;
/** How long the result of a login can be asked for. */
const KEPT_MS = 5 * 60_000;
const MAX_PENDING = 64;
const REFUSED_BY_USER = 'access_denied';
const OAUTH_CODE = /^[a-z_]{1,40}$/;

export function createPendingLogins(options: PendingLoginsOptions): PendingLogins {
  const { clock, random, log, hide, withAuthorizationServer } = options;
  /** By `state`, which only the browser of this login gets. */
  const pending = new Map<string, PendingLogin>();
  const ended = new Map<string, LoginProgress>();
  /** Whose answers came: the server, by id. */
  const redeeming = new Map<string, string>();
  const waiting = new Map<string, Set<(progress: LoginProgress) => void>>();

  function begun({ id, server, url, redirectUrl, discovered, endsAt }: PendingLogin): LoginBegun {
    const { issuer } = discovered;
    const expiresInMs = Math.max(0, endsAt - clock.monotonic());
    return { id, server, url, redirectUrl, issuer, expiresInMs };
  }

  function newText(): string {
    return Buffer.from(random(32)).toString('base64url');
  }

  function end(id: string, progress: LoginProgress): void {
    ended.set(id, progress);
    clock.after(KEPT_MS, () => ended.delete(id));
    for (const resolve of waiting.get(id) ?? []) resolve(progress);
    waiting.delete(id);
  }

  function fail({ id, server }: PendingLogin, error: CallError): FinishedLogin {
    const { class: errorClass, message, fix } = error;
    log.warn('upstream_login_failed', { server, error: error.toJSON() });
    end(id, { is: 'failed', class: errorClass, message, ...(fix !== undefined && { fix }) });
    return { is: 'failed', server, error };
  }

  function take(state: string): PendingLogin | undefined {
    const login = pending.get(state);
    pending.delete(state);
    login?.timer.stop();
    return login;
  }

  async function redeem(login: PendingLogin, params: URLSearchParams): Promise<void> {
    const { server, config, discovered, client, redirectUrl, codeVerifier } = login;
    const { principal, requestedScope } = login;
    const issuer = params.get('iss') ?? undefined;
    await withAuthorizationServer(server, config, new LightAbortController(), async (at) => {
      const { engine, context } = at;
      engine.requireIssuer(server, discovered, issuer);
      const refusal = params.get('error');
      if (refusal !== null) throw refusedByServer(server, refusal);
      const codes = params.getAll('code');
      const [code] = codes;
      if (code === undefined || codes.length > 1) throw problemOf(server, 'the answer has no code');
      hide([code]);
      const { resource, authorizationServerUrl } = discovered;
      const metadata = engine.keptMetadata(discovered.metadata);
      const target: StoredLogin = {
        server,
        url: config.url,
        principal,
        configuredClient: config.clientId ?? '',
        issuer: discovered.issuer,
        authorizationServerUrl,
        ...(metadata && { metadata }),
        ...(resource !== undefined && { resource }),
        ...(requestedScope !== undefined && { requestedScope }),
        client,
      };
      const tokens = await engine.redeemCode(
        context,
        { ...target, ...(discovered.metadata && { metadata: discovered.metadata }) },
        { code, codeVerifier, redirectUrl, issuer },
      );
      if (!redeeming.has(login.id)) throw loggedOut(server);
      login.save({ ...target, tokens });
    });
  }

  return {
    find(server, url, principal, wanted) {
      for (const login of pending.values()) {
        const isSame = login.server === server && login.principal === principal;
        if (isSame && login.config.url === url && login.wanted === wanted) return begun(login);
      }
      return undefined;
    },
    async add(login) {
      if (pending.size >= MAX_PENDING) {
        const [oldest] = pending;
        if (oldest) {
          take(oldest[0]);
          fail(oldest[1], problemOf(oldest[1].server, 'too many logins were begun after it'));
        }
      }
      const state = newText();
      const { url, codeVerifier } = await login.start(state);
      hide([codeVerifier, state]);
      login.signal.throwIfAborted();
      const timer = clock.after(PENDING_MS, () => {
        const late = take(state);
        if (late) fail(late, problemOf(late.server, 'it was not finished within 10 minutes'));
      });
      const endsAt = clock.monotonic() + PENDING_MS;
      const id = newText();
      const added = { ...login, id, url, codeVerifier, endsAt, timer };
      pending.set(state, added);
      log.info('upstream_login_begun', { server: login.server, principal: login.principal });
      return begun(added);
    },
    async wait(id, timeoutMs) {
      const progress = ended.get(id);
      if (progress) return progress;
      if (![...pending.values()].some((login) => login.id === id) && !redeeming.has(id)) {
        throw new CallError('not_found', 'No login with this id is waiting.', { field: 'id' });
      }
      return new Promise((resolve) => {
        const all = waiting.get(id) ?? new Set();
        waiting.set(id, all);
        const settle = (result: LoginProgress) => {
          timer.stop();
          all.delete(settle);
          resolve(result);
        };
        const timer = clock.after(timeoutMs, () => settle({ is: 'waiting' }));
        all.add(settle);
      });
    },
    async finish({ address, params }) {
      const states = params.getAll('state');
      const [state = ''] = states;
      const found = states.length === 1 ? pending.get(state) : undefined;
      // An answer at another address is not the one that was asked for.
      if (!found || !isAnswerAt(address, found.redirectUrl)) return { is: 'unknown' };
      const login = take(state);
      if (!login) return { is: 'unknown' };
      const { id, server } = login;
      redeeming.set(id, server);
      try {
        await redeem(login, params);
        log.info('upstream_login_done', { server, principal: login.principal });
        end(id, { is: 'done', server });
        return { is: 'done', server };
      } catch (thrown) {
        return fail(login, CallError.from(thrown));
      } finally {
        redeeming.delete(id);
      }
    },
    drop(server) {
      for (const [state, login] of pending) {
        if (login.server !== server) continue;
        take(state);
        fail(login, loggedOut(server));
      }
      for (const [id, of] of redeeming) if (of === server) redeeming.delete(id);
    },
    close() {
      for (const [state, login] of pending) {
        take(state);
        fail(login, problemOf(login.server, 'EX-AI is stopping'));
      }
    },
  };
}

/** A proxy that ends TLS passes an answer at an https address on as http. */
function isAnswerAt(address: string, redirectUrl: string): boolean {
  const { protocol, host, pathname } = new URL(redirectUrl);
  const isHere = (scheme: string) => address === `${scheme}//${host}${pathname}`;
  return isHere(protocol) || (protocol === 'https:' && isHere('http:'));
}

export function loggedOut(server: string): CallError {
  return problemOf(server, 'the server was logged out or removed meanwhile');
}

function problemOf(server: string, problem: string): CallError {
  return codedError('auth', reason('server_login_failed', { server, problem }), {
    fix: `Begin again with: exai servers login ${server}`,
  });
}

function refusedByServer(server: string, code: string): CallError {
  if (code === REFUSED_BY_USER) return problemOf(server, 'it was refused in the browser');
  const shown = OAUTH_CODE.test(code) ? code : 'an error';
  return problemOf(server, `the authorization server answers ${shown}`);
}
