import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { transportOf, type UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { LoginBegun, LoginProgress, LoginStatus } from '#core/hub/upstream-login.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { NetworkSettings } from '#net/create-http.ts';
import type { HttpAuthorization } from '../connection/http/http-authorization.ts';
import { joinScopes } from './challenge.ts';
import { createLoginSlot, type LoginSlot } from './login-slot.ts';
import {
  createPendingLogins,
  loggedOut,
  type FinishedLogin,
  type LoginAnswer,
} from './pending-logins.ts';
import { probeChallenge } from './probe-challenge.ts';
import type { LoginFiles } from './stored-login.ts';
import { createWithAuthorizationServer } from './with-authorization-server.ts';

export interface LoginsOptions {
  readonly files: LoginFiles;
  readonly network: () => Promise<NetworkSettings>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Texts that no log may show from now on. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Where our listener takes answers. */
  readonly redirectUrl: () => string;
  /** The address of a document that describes EX-AI as a client; empty: there is none. */
  readonly clientMetadataUrl: () => string;
  /** A login was made, is needed or was deleted. */
  readonly onChange: (server: string, change: 'needed' | 'changed') => void;
}

/** The logins of all servers. */
export interface Logins {
  /** For the requests of a connection; undefined where the settings have a token themselves. */
  authorization(
    server: string,
    config: UpstreamConfig,
    principal: string,
  ): HttpAuthorization | undefined;
  status(server: string, config: UpstreamConfig, principal: string): LoginStatus;
  /** Begins a login, or returns the one that is waiting for its user. */
  begin(server: string, config: UpstreamConfig, principal: string): Promise<LoginBegun>;
  /** Resolves when the login has ended, at the latest after `timeoutMs`. */
  wait(id: string, timeoutMs: number): Promise<LoginProgress>;
  /** Takes the answer of an authorization server. */
  finish(answer: LoginAnswer): Promise<FinishedLogin>;
  /** Deletes the logins of a server, and revokes their tokens where its settings are known. */
  logOut(
    server: string,
    config: UpstreamConfig | undefined,
  ): Promise<{ readonly deleted: number; readonly revoked: number }>;
  close(): void;
}

interface Beginning {
  readonly server: string;
  /** Aborted by a logout. */
  readonly signal: LightAbortController;
  readonly begun: Promise<LoginBegun>;
}

export function createLogins(options: LoginsOptions): Logins {
  const { files, clock, log, hide } = options;
  const withAuthorizationServer = createWithAuthorizationServer(options);
  const pending = createPendingLogins({ ...options, withAuthorizationServer });
  const slots = new Map<string, LoginSlot>();
  /** Logins that are being begun: calls that need the same one at the same time share it. */
  const beginning = new Map<string, Beginning>();

  function slotOf(server: string, principal: string): LoginSlot {
    const key = `${server}\n${principal}`;
    const known = slots.get(key);
    if (known) return known;
    const slot = createLoginSlot({
      server,
      principal,
      files,
      clock,
      log,
      hide,
      withAuthorizationServer,
      onChange: (change) => options.onChange(server, change),
    });
    slots.set(key, slot);
    return slot;
  }

  function begin(
    server: string,
    config: UpstreamConfig,
    slot: LoginSlot,
    signal: LightAbortController,
  ): Promise<LoginBegun> {
    const { principal } = slot;
    return withAuthorizationServer(server, config, signal, async ({ engine, context }) => {
      const { scope: wanted } = slot.needed() ?? {};
      const challenge = slot.needed() ?? (await probeChallenge(server, config, options));
      const discovered = await engine.discover(context, challenge);
      const scope = engine.scopeOf({ config }, discovered, joinScopes(challenge?.scope));
      const redirectUrl = config.redirectUrl || options.redirectUrl();
      const client = await engine.clientFor(context, discovered, {
        redirectUrl,
        clientMetadataUrl: options.clientMetadataUrl(),
        known: slot.stored(config),
        scope,
      });
      if (client.client_secret !== undefined) hide([client.client_secret]);
      return pending.add({
        server,
        config,
        principal,
        redirectUrl,
        discovered,
        client,
        wanted,
        requestedScope: scope,
        signal,
        start: (state) =>
          engine.startLogin(context, discovered, { client, redirectUrl, state, scope }),
        save: (login) => slot.save(login),
      });
    });
  }

  function dropBeginning(server: string): void {
    for (const [key, each] of beginning) {
      if (each.server !== server) continue;
      // A login that is begun from now on is another one.
      beginning.delete(key);
      each.signal.abort(loggedOut(server));
    }
  }

  function requirePossible(server: string, config: UpstreamConfig): void {
    const because = whyNoLogin(config);
    if (because === undefined) return;
    throw codedError(
      'not_configured',
      reason('server_login_failed', { server, problem: because.problem }),
      { fix: because.fix(server) },
    );
  }

  return {
    authorization(server, config, principal) {
      return whyNoLogin(config, 'own')
        ? undefined
        : slotOf(server, principal).authorization(config);
    },
    status(server, config, principal) {
      return whyNoLogin(config, 'own') ? 'none' : slotOf(server, principal).status(config);
    },
    async begin(server, config, principal) {
      requirePossible(server, config);
      const slot = slotOf(server, principal);
      const { scope: wanted } = slot.needed() ?? {};
      const waiting = pending.find(server, config.url, principal, wanted);
      if (waiting) return waiting;
      const key = JSON.stringify([server, config.url, principal, wanted]);
      const shared = beginning.get(key);
      if (shared) return shared.begun;
      const signal = new LightAbortController();
      const begun = begin(server, config, slot, signal)
        .catch((thrown: unknown) => {
          signal.throwIfAborted();
          throw thrown;
        })
        .finally(() => {
          if (beginning.get(key) === own) beginning.delete(key);
        });
      const own: Beginning = { server, signal, begun };
      beginning.set(key, own);
      return begun;
    },
    wait: (id, timeoutMs) => pending.wait(id, timeoutMs),
    finish: (answer) => pending.finish(answer),
    async logOut(server, config) {
      dropBeginning(server);
      pending.drop(server);
      let revoked = 0;
      const all = files.list(server);
      // Deleted first: whatever the authorization server says, they are not used any more.
      for (const { principal } of all) slotOf(server, principal);
      // Also those that are only asked for, or are getting a token.
      for (const [key, slot] of slots) if (key.startsWith(`${server}\n`)) slot.remove();
      for (const login of all) {
        const { tokens } = login;
        if (!config || !tokens || login.url !== config.url) continue;
        const isRevoked = await withAuthorizationServer(
          server,
          config,
          new LightAbortController(),
          async ({ engine, context }) => {
            const { accessToken, refreshToken } = tokens;
            const first =
              refreshToken === undefined ||
              (await engine.revokeToken(context, login, refreshToken, 'refresh_token'));
            return (await engine.revokeToken(context, login, accessToken, 'access_token')) && first;
          },
        ).catch((thrown: unknown) => {
          log.warn('upstream_login_not_revoked', {
            server,
            error: CallError.from(thrown).toJSON(),
          });
          return false;
        });
        if (isRevoked) revoked += 1;
      }
      return { deleted: all.length, revoked };
    },
    close: () => pending.close(),
  };
}

interface WhyNot {
  readonly problem: string;
  readonly fix: (server: string) => string;
}

/** Why a server cannot have a login; with `own`, servers that EX-AI gets a token for by itself can. */
function whyNoLogin(config: UpstreamConfig, own?: 'own'): WhyNot | undefined {
  const { login = 'auto', headers } = config;
  const transport = transportOf(config);
  if (transport !== 'http' && transport !== 'sse') {
    return {
      problem: 'only servers that are reached over HTTP have logins',
      fix: (server) => `Look at its settings with: exai config show mcpServers.${server}`,
    };
  }
  if (config.composio) {
    return {
      problem: 'Composio uses an API key',
      fix: () => 'Set it with: exai keys add composio',
    };
  }
  if (login === 'off') {
    return {
      problem: 'logins are switched off in its settings',
      fix: (server) => `exai config set mcpServers.${server}.login auto`,
    };
  }
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    return {
      problem: 'its settings have the header Authorization, which a login would replace',
      fix: (server) => `exai config unset mcpServers.${server}.headers`,
    };
  }
  if (login === 'client_credentials' && own === undefined) {
    return {
      problem: 'EX-AI gets its token by itself, with the client of its settings',
      fix: (server) => `exai servers restart ${server}`,
    };
  }
  return undefined;
}
