/** Permission to run. Released once; releasing it again does nothing. */
export interface Permit {
  release(): void;
}

export interface AcquireRequest {
  /** Pools that all need a free slot at the same moment. */
  readonly pools: readonly string[];
  /** The queue is served round-robin by this key, however many requests each key has. */
  readonly fairnessKey: string;
  /**
   * Work that gave its permit back while it waited for something else: it is never refused because
   * the queue is full, and never evicted.
   */
  readonly isContinued?: true;
}

export type Admission =
  | { readonly is: 'granted'; readonly permit: Permit }
  | { readonly is: 'waiting'; readonly entry: QueueEntry }
  | { readonly is: 'full' };

/** A queued request. */
export interface QueueEntry {
  /**
   * Resolves with the permit, or with undefined when the entry was evicted in favour of a key that
   * had none.
   */
  readonly permit: Promise<Permit | undefined>;
  /** Leaves the queue, or releases the permit if it was just granted. */
  leave(): void;
}

export interface LimiterOptions {
  /** How many permits of a pool may be held at once. */
  readonly capacity: (pool: string) => number;
  /** Read at each request, as settings may change it. */
  readonly maxWaiting: number;
}

export interface Limiter {
  acquire(request: AcquireRequest): Admission;
  /** Grants permits to waiting requests that fit since a capacity was raised. */
  capacityChanged(): void;
  readonly running: number;
  readonly waiting: number;
  /** Permits of a pool that are held now. */
  inUse(pool: string): number;
}

interface Waiter {
  readonly request: AcquireRequest;
  settle(permit: Permit | undefined): void;
}

/**
 * A concurrency limiter over any number of pools with a fair, bounded queue. The queue is
 * round-robin by key, so a caller that floods it waits behind its own calls, not in front of
 * everyone else's.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { capacity } = options;
  const used = new Map<string, number>();
  // In serving order: a key that was just served moves to the end.
  const queues = new Map<string, Waiter[]>();
  let running = 0;
  let waiting = 0;

  const fits = ({ pools }: AcquireRequest) =>
    pools.every((pool) => (used.get(pool) ?? 0) < capacity(pool));

  function grant({ pools }: AcquireRequest): Permit {
    running += 1;
    for (const pool of pools) used.set(pool, (used.get(pool) ?? 0) + 1);
    let isOut = true;
    return {
      release() {
        if (!isOut) return;
        isOut = false;
        running -= 1;
        for (const pool of pools) {
          const left = (used.get(pool) ?? 1) - 1;
          if (left === 0) used.delete(pool);
          else used.set(pool, left);
        }
        serve();
      },
    };
  }

  /** Grants permits to the next waiting requests that fit. */
  function serve(): void {
    for (let next = takeNext(); next; next = takeNext()) next.settle(grant(next.request));
  }

  function takeNext(): Waiter | undefined {
    for (const [key, queue] of queues) {
      const index = queue.findIndex(({ request }) => fits(request));
      if (index === -1) continue;
      const [waiter] = queue.splice(index, 1);
      waiting -= 1;
      queues.delete(key);
      if (queue.length > 0) queues.set(key, queue);
      return waiter;
    }
    return undefined;
  }

  function remove(waiter: Waiter): boolean {
    const queue = queues.get(waiter.request.fairnessKey);
    const index = queue?.indexOf(waiter) ?? -1;
    if (!queue || index === -1) return false;
    queue.splice(index, 1);
    waiting -= 1;
    if (queue.length === 0) queues.delete(waiter.request.fairnessKey);
    return true;
  }

  /**
   * Evicts the newest entry of the key with the most entries, unless the newcomer's key has as
   * many.
   */
  function makeRoom(key: string): boolean {
    let longest: Waiter[] = [];
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue;
    const own = queues.get(key)?.length ?? 0;
    const newest = longest.findLast(({ request }) => !request.isContinued);
    if (!newest || longest.length <= own + 1) return false;
    remove(newest);
    newest.settle(undefined);
    return true;
  }

  function enqueue(request: AcquireRequest): QueueEntry {
    let settle: Waiter['settle'] = () => undefined;
    let granted: Permit | undefined;
    const permit = new Promise<Permit | undefined>((resolve) => {
      settle = (result) => {
        granted = result;
        resolve(result);
      };
    });
    const waiter: Waiter = { request, settle };
    const queue = queues.get(request.fairnessKey);
    if (queue) queue.push(waiter);
    else queues.set(request.fairnessKey, [waiter]);
    waiting += 1;
    return {
      permit,
      leave() {
        if (remove(waiter)) settle(undefined);
        else granted?.release();
      },
    };
  }

  return {
    acquire(request) {
      // A request that fits is granted even while others wait: those wait for other pools, or they
      // would have been served.
      if (fits(request)) return { is: 'granted', permit: grant(request) };
      const isFull = waiting >= options.maxWaiting && !request.isContinued;
      if (isFull && !makeRoom(request.fairnessKey)) return { is: 'full' };
      return { is: 'waiting', entry: enqueue(request) };
    },
    capacityChanged: serve,
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    inUse: (pool) => used.get(pool) ?? 0,
  };
}
