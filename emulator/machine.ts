/**
 * The only place where the emulator looks at the machine's clock; everything else takes `now` and
 * waits by `sleep`.
 */
export const systemNow = (): number => Date.now();

/**
 * Resolves after `ms`, or as soon as the signal aborts; never rejects. A timer keeps no process
 * alive.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const timer = setTimeout(finish, ms);
    timer.unref();
    signal?.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    }
  });
}

/** Lets everything else that is ready have its turn, so that what was written leaves on its own. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
