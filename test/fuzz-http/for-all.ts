const AT_ONCE = 64;

/** Does it for all of them, some at a time. */
export async function forAll<T>(
  all: readonly T[],
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < all.length) await work(all[next++] as T);
  });
  await Promise.all(workers);
}
