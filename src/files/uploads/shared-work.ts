import { CallError } from '#core/errors/call-error.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';

/** Who waits for a piece of work: until its signal aborts. */
interface Waiting {
  readonly signal: AbortSignalLike;
}

interface Running {
  readonly result: Promise<unknown>;
  readonly stop: LightAbortController;
  waiting: number;
}

/** Runs equal work once for all that need it at the same time. */
export interface SharedWork {
  /**
   * The result of the work with this key: of the one that runs, or of a new one. The work is
   * aborted when the last caller has left. A caller with time left starts it again if it ended only
   * because another caller's time was up.
   */
  run<T>(key: string, caller: Waiting, work: (signal: AbortSignalLike) => Promise<T>): Promise<T>;
}

export function createSharedWork(): SharedWork {
  const running = new Map<string, Running>();

  function start(key: string, work: (signal: AbortSignalLike) => Promise<unknown>): Running {
    const stop = new LightAbortController();
    const entry: Running = {
      stop,
      waiting: 0,
      result: work(stop).finally(() => {
        if (running.get(key) === entry) running.delete(key);
      }),
    };
    // Without callers, nothing would handle its failure.
    entry.result.catch(() => undefined);
    running.set(key, entry);
    return entry;
  }

  return {
    async run<T>(
      key: string,
      { signal }: Waiting,
      work: (signal: AbortSignalLike) => Promise<T>,
    ): Promise<T> {
      for (;;) {
        signal.throwIfAborted();
        const known = running.get(key);
        const entry = known ?? start(key, work);
        entry.waiting += 1;
        try {
          return (await untilAborted(entry.result, signal)) as T;
        } catch (thrown) {
          const { class: errorClass } = CallError.from(thrown);
          const isOfOther = errorClass === 'timeout' || errorClass === 'cancelled';
          if (signal.aborted || !known || !isOfOther) throw thrown;
        } finally {
          entry.waiting -= 1;
          if (entry.waiting === 0) {
            if (running.get(key) === entry) running.delete(key);
            entry.stop.abort(new CallError('cancelled', 'No caller waits for it any more.'));
          }
        }
      }
    },
  };
}

/** The result, or a rejection as soon as the signal aborts. */
async function untilAborted<T>(result: Promise<T>, signal: AbortSignalLike): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(CallError.from(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
