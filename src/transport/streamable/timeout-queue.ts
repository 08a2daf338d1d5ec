import type { Clock, Timer } from '#core/time/clock.ts';

/** An entry of a timeout queue. */
export interface QueuedTimeout<T> {
  readonly queue: TimeoutQueue<T>;
  readonly item: T;
  readonly dueAt: number;
  before: QueuedTimeout<T> | undefined;
  after: QueuedTimeout<T> | undefined;
  isWaiting: boolean;
}

/** Timeouts of equal length for many items, served by one timer. */
export interface TimeoutQueue<T> {
  readonly size: number;
  add(item: T): QueuedTimeout<T>;
  /** Does nothing if the entry is undefined, of another queue, or no longer waiting. */
  remove(timeout: QueuedTimeout<T> | undefined): void;
  /** The waiting items, oldest first. */
  items(): Iterable<T>;
  /** Removes all items and stops the timer. */
  clear(): void;
}

export function createTimeoutQueue<T>(
  clock: Clock,
  delayMs: number,
  onDue: (item: T) => void,
): TimeoutQueue<T> {
  let head: QueuedTimeout<T> | undefined;
  let tail: QueuedTimeout<T> | undefined;
  let size = 0;
  // Keeps running when the queue is empty, since it is usually needed again soon.
  let timer: Timer | undefined;
  let state: 'waiting' | 'checking' = 'waiting';

  function remove(timeout: QueuedTimeout<T> | undefined): void {
    if (!timeout?.isWaiting || timeout.queue !== queue) return;
    timeout.isWaiting = false;
    size -= 1;
    if (timeout.before) timeout.before.after = timeout.after;
    else head = timeout.after;
    if (timeout.after) timeout.after.before = timeout.before;
    else tail = timeout.before;
    timeout.before = timeout.after = undefined;
  }

  function check(): void {
    timer = undefined;
    state = 'checking';
    const now = clock.monotonic();
    for (let due = head; due && due.dueAt <= now; due = head) {
      remove(due);
      onDue(due.item);
    }
    state = 'waiting';
    if (head) timer = clock.after(head.dueAt - now, check);
  }

  const queue: TimeoutQueue<T> = {
    get size() {
      return size;
    },
    add(item) {
      const dueAt = clock.monotonic() + delayMs;
      const timeout = { queue, item, dueAt, before: tail, after: undefined, isWaiting: true };
      if (tail) tail.after = timeout;
      else head = timeout;
      tail = timeout;
      size += 1;
      // Items added within `onDue` come after those that still wait.
      if (state === 'waiting') timer ??= clock.after(delayMs, check);
      return timeout;
    },
    remove,
    *items() {
      for (let timeout = head; timeout; timeout = timeout.after) yield timeout.item;
    },
    clear() {
      while (head) remove(head);
      timer?.stop();
      timer = undefined;
    },
  };
  return queue;
}
