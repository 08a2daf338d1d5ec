/** Counts the work that uses a resource, so that the resource can be closed after the last of it. */
export interface UseCount {
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when no work uses it. New work is not to start by then. */
  idle(): Promise<void>;
}

export function createUseCount(): UseCount {
  let running = 0;
  let onIdle: (() => void) | undefined;
  const release = () => {
    running -= 1;
    if (running === 0) onIdle?.();
  };
  return {
    hold(work) {
      running += 1;
      try {
        const working = work();
        working.then(release, release);
        return working;
      } catch (thrown) {
        release();
        return Promise.reject(thrown);
      }
    },
    async idle() {
      if (running > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    },
  };
}
