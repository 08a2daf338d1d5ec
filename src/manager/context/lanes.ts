/** Runs work, so many at once; the rest waits its turn. Whatever failed, the next one runs. */
export function createLanes(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The lane goes from one to the next without being free in between.
      if (next) next();
      else running -= 1;
    }
  };
}
