/** Leave to run, to be given back exactly once; giving it back again does nothing. */
export interface Permit {
  release(): void;
}

export interface Ticket {
  /** All of these need a free place at the same moment. */
  readonly pools: readonly string[];
  /** Whose turn it is: those who wait take turns by this key, however many each of them sent. */
  readonly turn: string;
}

export type Admission =
  | { readonly is: 'granted'; readonly permit: Permit }
  | { readonly is: 'waiting'; readonly place: Place }
  | { readonly is: 'full' };

/** A place in the queue. */
export interface Place {
  /** Gives the permit, or nothing when the place was taken away in favour of someone who had none. */
  readonly permit: Promise<Permit | undefined>;
  /** Gives up the place, or the permit if it was granted a moment ago. */
  leave(): void;
}

export interface LimiterOptions {
  /** How many permits of a pool may be out at once. */
  readonly capacity: (pool: string) => number;
  readonly maxWaiting: number;
}

export interface Limiter {
  ask(ticket: Ticket): Admission;
  readonly running: number;
  readonly waiting: number;
  /** Permits of a pool that are out. */
  inUse(pool: string): number;
}

interface Waiter {
  readonly ticket: Ticket;
  settle(permit: Permit | undefined): void;
}

/**
 * Counts permits against any number of pools, and queues in fairness what finds no place: turns go round, so one who
 * floods the queue waits behind their own calls, not before everyone else's.
 */
export function createLimiter({ capacity, maxWaiting }: LimiterOptions): Limiter {
  const used = new Map<string, number>();
  // In the order of turns: whoever was served goes to the end.
  const queues = new Map<string, Waiter[]>();
  let running = 0;
  let waiting = 0;

  const fits = ({ pools }: Ticket) => pools.every((pool) => (used.get(pool) ?? 0) < capacity(pool));

  function grant({ pools }: Ticket): Permit {
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

  /** Grants to whoever is next and fits, until nobody does. */
  function serve(): void {
    for (let next = takeNext(); next; next = takeNext()) next.settle(grant(next.ticket));
  }

  function takeNext(): Waiter | undefined {
    for (const [turn, queue] of queues) {
      const index = queue.findIndex(({ ticket }) => fits(ticket));
      if (index === -1) continue;
      const [waiter] = queue.splice(index, 1);
      waiting -= 1;
      queues.delete(turn);
      if (queue.length > 0) queues.set(turn, queue);
      return waiter;
    }
    return undefined;
  }

  function remove(waiter: Waiter): boolean {
    const queue = queues.get(waiter.ticket.turn);
    const index = queue?.indexOf(waiter) ?? -1;
    if (!queue || index === -1) return false;
    queue.splice(index, 1);
    waiting -= 1;
    if (queue.length === 0) queues.delete(waiter.ticket.turn);
    return true;
  }

  /** Whoever has most in a full queue gives up their newest place, unless the newcomer has as many. */
  function makeRoom(turn: string): boolean {
    let longest: Waiter[] = [];
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue;
    const own = queues.get(turn)?.length ?? 0;
    const newest = longest.at(-1);
    if (!newest || longest.length <= own + 1) return false;
    remove(newest);
    newest.settle(undefined);
    return true;
  }

  function enqueue(ticket: Ticket): Place {
    let settle: Waiter['settle'] = () => undefined;
    let granted: Permit | undefined;
    const permit = new Promise<Permit | undefined>((resolve) => {
      settle = (given) => {
        granted = given;
        resolve(given);
      };
    });
    const waiter: Waiter = { ticket, settle };
    const queue = queues.get(ticket.turn);
    if (queue) queue.push(waiter);
    else queues.set(ticket.turn, [waiter]);
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
    ask(ticket) {
      // What fits may go at once even while others wait: they wait for other pools, or they would have been served.
      if (fits(ticket)) return { is: 'granted', permit: grant(ticket) };
      if (waiting >= maxWaiting && !makeRoom(ticket.turn)) return { is: 'full' };
      return { is: 'waiting', place: enqueue(ticket) };
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    inUse: (pool) => used.get(pool) ?? 0,
  };
}
