import type { Message } from './rpc.ts';

/** Messages in the order they came, each to be taken once. */
export interface Inbox {
  /** All that ever came, taken or not. */
  readonly all: readonly Message[];
  put(message: Message): void;
  /** The first one of this kind that was not taken yet, as soon as it is there. */
  next(what: string, is: (message: Message) => boolean): Promise<Message>;
}

// Only what never comes takes so long.
const PATIENCE_MS = 90_000;

export function createInbox(): Inbox {
  const all: Message[] = [];
  const taken = new Set<Message>();
  const waiting = new Set<() => void>();
  return {
    all,
    put(message) {
      all.push(message);
      for (const look of waiting) look();
    },
    next(what, is) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`${what} did not come; what came: ${JSON.stringify(all)}`));
        }, PATIENCE_MS);
        const look = () => {
          const found = all.find((message) => !taken.has(message) && is(message));
          if (!found) return;
          clearTimeout(late);
          waiting.delete(look);
          taken.add(found);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

/** The next one of a method. */
export function nextOf(inbox: Inbox, method: string): Promise<Message> {
  return inbox.next(method, (message) => message.method === method);
}
