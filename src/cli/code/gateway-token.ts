import { daemonState } from '#app/daemon/daemon-state.ts';
import type { Home } from '#config/home/home.ts';
import { GATEWAY_TOKEN_METHODS, type TemporaryToken } from '#core/auth/client-token.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

/** How often the file of the daemon is read: a restarted daemon has to be told the token again. */
const CHECK_EVERY_MS = 2_000;
/** Parts of the lifetime after which the token is renewed. */
const RENEWALS_A_LIFETIME = 10;

interface GatewayTokenContext {
  readonly io: Pick<Io, 'env' | 'stderr'>;
  readonly home: Home;
  readonly clock: Clock;
}

/**
 * Runs work with a token that only the gateway accepts. The token is renewed while the work runs,
 * and revoked after it.
 */
export async function runWithGatewayToken<T>(
  context: GatewayTokenContext,
  work: (token: string) => Promise<T>,
): Promise<T> {
  const { home, clock } = context;
  const { token, expiresInMs } = (await request(context, 'renew', {})) as TemporaryToken;
  let daemon = runningDaemon(home);
  let renewedAt = clock.monotonic();
  let timer: Timer | undefined;
  let renewal: Promise<unknown> | undefined;
  let state: 'running' | 'ended' = 'running';

  async function renewIfNeeded(): Promise<void> {
    const current = runningDaemon(home);
    const isDue = clock.monotonic() - renewedAt >= expiresInMs / RENEWALS_A_LIFETIME;
    if (current === undefined || (current === daemon && !isDue)) return;
    await request(context, 'renew', { token });
    daemon = current;
    renewedAt = clock.monotonic();
  }

  function schedule(): void {
    timer = clock.after(CHECK_EVERY_MS, () => {
      // A daemon that does not answer is asked again at the next check.
      renewal = renewIfNeeded()
        .catch(() => undefined)
        .finally(() => {
          if (state === 'running') schedule();
        });
    });
  }

  schedule();
  try {
    return await work(token);
  } finally {
    state = 'ended';
    timer?.stop();
    await renewal;
    // A daemon that has stopped has forgotten it, and one that does not answer lets it expire.
    await request(context, 'end', { token }).catch(() => undefined);
  }
}

function request(
  { io }: GatewayTokenContext,
  method: keyof typeof GATEWAY_TOKEN_METHODS,
  params: JsonObject,
): Promise<unknown> {
  return runWithDaemon(
    io,
    (client) => client.request(GATEWAY_TOKEN_METHODS[method], params, { timeoutMs: 10_000 }),
    { noticeOutput: 'skip', autostart: 'off' },
  );
}

/** Identifies the running daemon; undefined if none runs. */
function runningDaemon(home: Home): string | undefined {
  const found = daemonState(home);
  return found.is === 'running' ? `${found.record.pid} ${found.record.startedAt}` : undefined;
}
