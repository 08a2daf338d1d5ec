import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Http } from '#core/net/http.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Random } from '#core/random.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ConnectUpstream } from '../lifecycle/create-upstream.ts';
import { createComposioApi, type ComposioApi, type ComposioSession } from './composio-api.ts';
import { createComposioConnection, GONE } from './composio-connection.ts';
import { createComposioTools, type ComposioTools } from './composio-tools.ts';
import { createSandboxes } from './sandboxes.ts';
import { createSessionKeeper, type SessionKeeper } from './session-keeper.ts';
import { createUsedSlugs } from './used-slugs.ts';

export interface ComposioDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly http: () => Promise<Http>;
  /** Where slugs of tools that were used are kept. */
  readonly settings: Pick<SettingStore, 'get' | 'set'>;
}

/** The account behind a connection; another key, user or address is another one. */
export interface ComposioAccount {
  readonly api: ComposioApi;
  readonly keeper: SessionKeeper;
  readonly tools: ComposioTools;
}

export interface ComposioConnector {
  /** Connects to Composio where the settings of a server say so, and otherwise as `connect`. */
  wrap(connect: ConnectUpstream): ConnectUpstream;
  /** The account that was connected last. */
  account(): ComposioAccount | undefined;
}

const API_KEY = 'x-api-key';

export function createComposioConnector(deps: ComposioDeps): ComposioConnector {
  const { clock, random } = deps;
  const newMark = () => Buffer.from(random(16)).toString('hex');
  const sandboxes = createSandboxes();
  let latest: (ComposioAccount & { readonly identity: string }) | undefined;

  async function accountOf(
    server: string,
    config: UpstreamConfig,
    maxBytes: number,
  ): Promise<ComposioAccount> {
    const { composio, url, headers } = config;
    const { userId = '', toolkits = [] } = composio ?? {};
    const apiKey = headers[API_KEY] ?? '';
    const identity = JSON.stringify([server, url, apiKey, userId, toolkits, maxBytes]);
    if (latest?.identity === identity) return latest;
    const http = await deps.http();
    const api = createComposioApi({ server, baseUrl: url, apiKey, http, maxBytes, newMark });
    const keeper = createSessionKeeper({ api, userId, toolkits });
    const used = createUsedSlugs(deps.settings, server);
    const tools = createComposioTools({ server, api, toolkits, used });
    latest = { identity, api, keeper, tools };
    return latest;
  }

  return {
    account: () => latest,
    wrap: (connect) => async (about, handlers) => {
      const { server, config, maxMessageBytes } = about;
      if (!config.composio) return connect(about, handlers);
      const account = await accountOf(server, config, maxMessageBytes);
      const open = async () => {
        const session = await inTime(server, config, clock, (signal) =>
          account.keeper.current(signal),
        );
        requireSafe(server, session, config);
        const target = { ...config, url: session.mcpUrl, type: 'http' as const };
        try {
          return { session, inner: await connect({ ...about, config: target }, handlers) };
        } catch (thrown) {
          if (isGone(thrown)) account.keeper.forget(session);
          throw thrown;
        }
      };
      // A session of an earlier connection may have expired.
      const { session, inner } = await open().catch((thrown: unknown) => {
        if (isGone(thrown)) return open();
        throw thrown;
      });
      return createComposioConnection({
        server,
        clock,
        api: account.api,
        tools: account.tools,
        infoOf: account.tools.info,
        sandboxes,
        session,
        inner,
        onGone(error) {
          account.keeper.forget(session);
          handlers.onClose(error);
          void inner.close();
        },
      });
    },
  };
}

function inTime<T>(
  server: string,
  { startTimeoutMs: timeoutMs }: UpstreamConfig,
  clock: Clock,
  work: (signal: LightAbortController) => Promise<T>,
): Promise<T> {
  const signal = new LightAbortController();
  const late = codedError('timeout', reason('server_start_timeout', { server, timeoutMs }));
  const timer = clock.after(timeoutMs, () => signal.abort(late));
  return work(signal).finally(() => timer.stop());
}

/** The key goes to the address of the session, so it must be as safe as that of the settings. */
function requireSafe(server: string, { mcpUrl }: ComposioSession, { url }: UpstreamConfig): void {
  const isEncrypted = (address: string) => new URL(address).protocol === 'https:';
  if (isUrl(mcpUrl) && (isEncrypted(mcpUrl) || !isEncrypted(url))) return;
  const problem = 'gives an address of a session that is not encrypted';
  throw codedError('bad_response', reason('server_protocol_error', { server, problem }));
}

function isGone(thrown: unknown): boolean {
  const because = CallError.from(thrown).reason;
  return (
    because?.code === 'server_session_ended' ||
    (because?.code === 'server_http_status' && GONE.has(because.params.status))
  );
}
