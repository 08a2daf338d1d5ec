import { DaemonError } from '#client/rpc-client.ts';
import { CallError } from '#core/call-error.ts';
import type { Progress } from '#core/call.ts';
import { sleep, type Clock } from '#core/clock.ts';
import type { CallResult } from './call-result.ts';
import { isUnderWay, jobOf } from './job-envelope.ts';
import { callJobTool, type Asked } from './job-tools.ts';

export interface FollowDeps {
  /** To the daemon, which is started if need be. */
  readonly connect: <T>(work: (client: Asked) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  /** Ends the following, and not the job. */
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
}

/** The most that the tool waits for in one call. */
const WAIT_S = 40;
/** How long a daemon that went away may take to come back, where it is not ours to start. */
const BACK_WITHIN_MS = 60_000;
const BETWEEN_TRIES_MS = 500;
/** A daemon that answers without waiting is not asked more often than this. */
const BETWEEN_LOOKS_MS = 1000;

/** The answer of a job, as soon as it is over or asks something. A daemon that restarts meanwhile is waited for. */
export async function followJob(id: string, deps: FollowDeps): Promise<CallResult> {
  const { connect, clock, signal } = deps;
  let isKnown = false;
  let lostAt: number | undefined;
  const onHeard = () => (lostAt = undefined);
  const onProgress = (step: Progress) => {
    onHeard();
    deps.onProgress(step);
  };
  for (;;) {
    try {
      return await connect((client) => {
        isKnown = true;
        return untilOver(client, id, { ...deps, onProgress }, onHeard);
      });
    } catch (thrown) {
      lostAt ??= clock.monotonic();
      // One that was never there is not waited for.
      const canBeBack = isKnown && clock.monotonic() - lostAt < BACK_WITHIN_MS;
      if (signal.aborted || !isLost(thrown) || !canBeBack) throw thrown;
    }
    deps.onProgress({ note: 'waiting for the daemon' });
    await sleep(clock, BETWEEN_TRIES_MS, signal);
  }
}

async function untilOver(
  client: Asked,
  id: string,
  { clock, signal, onProgress }: FollowDeps,
  onHeard: () => void,
): Promise<CallResult> {
  const args = { job_id: id, wait_seconds: WAIT_S };
  for (;;) {
    const askedAt = clock.monotonic();
    const result = await callJobTool(client, 'job_result', args, { signal, onProgress });
    if (isStopping(result)) throw new CallError('network', 'The daemon is stopping.');
    onHeard();
    if (!isUnderWay(result.envelope)) return result;
    await sleep(clock, Math.max(0, askedAt + BETWEEN_LOOKS_MS - clock.monotonic()), signal);
    signal.throwIfAborted();
  }
}

/** The look was cut off, and not the job: of a job that was, the envelope says so. */
function isStopping({ envelope, exit }: CallResult): boolean {
  const { error_class: name } = envelope as { readonly error_class?: unknown };
  return exit !== 0 && name === 'interrupted' && jobOf(envelope) === undefined;
}

/** What the daemon itself says came over a connection that is there. */
function isLost(thrown: unknown): boolean {
  return (
    thrown instanceof CallError && thrown.class === 'network' && !(thrown instanceof DaemonError)
  );
}
