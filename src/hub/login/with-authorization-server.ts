import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import type { NetworkSettings } from '#net/create-http.ts';
import type * as Requests from './authorization-server.ts';
import type { Challenge } from './challenge.ts';
import type * as Discovery from './discover-server.ts';
import type { AuthorizationContext } from './discover-server.ts';
import { createLoginHttp } from './login-http.ts';
import type { StoredLogin } from './stored-login.ts';

type Engine = typeof Discovery & typeof Requests;

/** What work with an authorization server has. */
export interface AuthorizationAccess {
  readonly engine: Engine;
  readonly context: AuthorizationContext;
  /** Throws if the server names another authorization server than that of the login. */
  requireSameServer(login: StoredLogin, challenge: Challenge): Promise<void>;
}

/** Runs work that asks an authorization server, with its own connections. */
export type WithAuthorizationServer = <T>(
  server: string,
  config: UpstreamConfig,
  signal: AbortSignalLike,
  work: (access: AuthorizationAccess) => Promise<T>,
) => Promise<T>;

interface Options {
  readonly network: () => Promise<NetworkSettings>;
  readonly clock: Clock;
}

/** The SDK is loaded with the first such work: daemons without logins never load it. */
export function createWithAuthorizationServer({
  network,
  clock,
}: Options): WithAuthorizationServer {
  return async (server, config, signal, work) => {
    const [discovery, requests] = await Promise.all([
      import('./discover-server.ts'),
      import('./authorization-server.ts'),
    ]);
    const engine = { ...discovery, ...requests };
    const { url } = config;
    const http = createLoginHttp({ server, url, network: await network(), clock, signal });
    const context = { server, config, fetch: http.fetch, nowMs: clock.now() };
    try {
      return await work({
        engine,
        context,
        async requireSameServer(login, challenge) {
          const { issuer } = await engine.discover(context, challenge);
          if (issuer === login.issuer) return;
          const { movedLogin } = await import('./login-errors.ts');
          throw movedLogin(server);
        },
      });
    } finally {
      await http.close();
    }
  };
}
