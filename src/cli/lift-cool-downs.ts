import {
  LIFT_METHOD,
  liftParams,
  liftStored,
  type LiftResult,
} from '#app/admin/lift-cool-downs.ts';
import { daemonState } from '#app/daemon/daemon-state.ts';
import { system } from '#app/system.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Io } from './io.ts';
import { printNotices, runWithDaemon } from './run-with-daemon.ts';

const TIMEOUT_MS = 5000;

/**
 * Ends the cool-downs of providers that accepted their keys, in the running daemon or else in its
 * store. A failure is a notice: the test itself succeeded.
 */
export async function liftCoolDowns(
  loaded: LoadedConfig,
  providers: readonly string[],
  io: Pick<Io, 'env' | 'stderr'>,
): Promise<readonly string[]> {
  const params = liftParams(loaded, providers);
  if (params.length === 0) return [];
  try {
    if (daemonState(loaded.home).is === 'absent')
      return await liftStored(loaded, providers, system);
    return await runWithDaemon(
      io,
      async ({ request }) => {
        const results = await Promise.all(
          params.map((each) => request(LIFT_METHOD, { ...each }, { timeoutMs: TIMEOUT_MS })),
        );
        return results.flatMap((result) => {
          const answer = result as LiftResult;
          return answer.is === 'lifted' ? answer.lifted : [];
        });
      },
      { autostart: 'off', noticeOutput: 'skip' },
    );
  } catch (thrown) {
    const { message } = CallError.from(thrown);
    printNotices(io, [`Cool-downs of these accounts were not ended: ${message}`]);
    return [];
  }
}
