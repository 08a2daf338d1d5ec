import type { Clock, Timer } from '#core/clock.ts';

/** A place in the line. */
export interface Ticket<T> {
  readonly line: DelayLine<T>;
  readonly item: T;
  readonly dueAt: number;
  before: Ticket<T> | undefined;
  after: Ticket<T> | undefined;
  isWaiting: boolean;
}

/** Things that fall due the same time after they were added: one timer serves them all. */
export interface DelayLine<T> {
  readonly size: number;
  add(item: T): Ticket<T>;
  /** Does nothing with a ticket that is none, of another line, or used up. */
  remove(ticket: Ticket<T> | undefined): void;
  /** Those that wait, the longest first. */
  items(): Iterable<T>;
  /** Forgets everything, its timer too. */
  clear(): void;
}

export function createDelayLine<T>(
  clock: Clock,
  delayMs: number,
  onDue: (item: T) => void,
): DelayLine<T> {
  let head: Ticket<T> | undefined;
  let tail: Ticket<T> | undefined;
  let size = 0;
  // Left running when the line empties, as it will mostly be needed again at once.
  let timer: Timer | undefined;
  let state: 'waiting' | 'looking' = 'waiting';

  function remove(ticket: Ticket<T> | undefined): void {
    if (!ticket?.isWaiting || ticket.line !== line) return;
    ticket.isWaiting = false;
    size -= 1;
    if (ticket.before) ticket.before.after = ticket.after;
    else head = ticket.after;
    if (ticket.after) ticket.after.before = ticket.before;
    else tail = ticket.before;
    ticket.before = ticket.after = undefined;
  }

  function look(): void {
    timer = undefined;
    state = 'looking';
    const now = clock.monotonic();
    for (let due = head; due && due.dueAt <= now; due = head) {
      remove(due);
      onDue(due.item);
    }
    state = 'waiting';
    if (head) timer = clock.after(head.dueAt - now, look);
  }

  const line: DelayLine<T> = {
    get size() {
      return size;
    },
    add(item) {
      const dueAt = clock.monotonic() + delayMs;
      const ticket = { line, item, dueAt, before: tail, after: undefined, isWaiting: true };
      if (tail) tail.after = ticket;
      else head = ticket;
      tail = ticket;
      size += 1;
      // What is added from within `onDue` comes after those that still wait.
      if (state === 'waiting') timer ??= clock.after(delayMs, look);
      return ticket;
    },
    remove,
    *items() {
      for (let ticket = head; ticket; ticket = ticket.after) yield ticket.item;
    },
    clear() {
      while (head) remove(head);
      timer?.stop();
      timer = undefined;
    },
  };
  return line;
}
