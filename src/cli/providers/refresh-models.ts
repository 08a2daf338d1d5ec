import { REFRESH_MODELS_METHOD, type RefreshAnswer } from '#app/admin/refresh-models.ts';
import { keepAlive } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

const TIMEOUT_MS = 60_000;

/** Has the running daemon list the models again; whether those of this provider are stored. */
export async function refreshModels(
  io: Pick<Io, 'env' | 'stderr'>,
  name: string,
): Promise<boolean> {
  try {
    const { outcomes } = (await keepAlive(
      runWithDaemon(
        io,
        (client) => client.request(REFRESH_MODELS_METHOD, {}, { timeoutMs: TIMEOUT_MS }),
        { autostart: 'off', noticeOutput: 'skip' },
      ),
    )) as RefreshAnswer;
    return outcomes.some(({ provider, is }) => provider === name && is === 'refreshed');
  } catch (thrown) {
    // The provider is stored; its list can be fetched later.
    if (thrown instanceof CallError) return false;
    throw thrown;
  }
}
