/** What the relay itself asks of a daemon, and whose answers concern nobody else. */
export interface OwnRequests {
  /** An id that no request in flight has. */
  newId(): string;
  has(key: string): boolean;
  /** Whether this answers one of them; it is over then. */
  settle(key: string): boolean;
  /** The daemon that was asked is gone. */
  clear(): void;
}

const PREFIX = 'exai-shim-';

/** `isTaken`: whether the client has a request by this id in flight. */
export function createOwnRequests(isTaken: (key: string) => boolean): OwnRequests {
  const keys = new Set<string>();
  let count = 0;
  return {
    newId() {
      let id: string;
      do id = `${PREFIX}${++count}`;
      while (isTaken(JSON.stringify(id)));
      keys.add(JSON.stringify(id));
      return id;
    },
    has: (key) => keys.has(key),
    settle: (key) => keys.delete(key),
    clear: () => keys.clear(),
  };
}
