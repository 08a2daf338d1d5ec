export interface Request {
  /** Its id, as JSON. */
  readonly key: string;
  readonly method: string;
  readonly params: unknown;
  /** `waiting`: no daemon has seen it yet. */
  state: 'waiting' | 'sent';
  /** Kept while it may be sent again. */
  line: string | undefined;
  sendings: number;
  /** Of a subscription: the word by which its client knows that it stands. */
  acknowledgement: string | undefined;
}

export interface InFlight {
  readonly size: number;
  /** How many of them end by an answer; a subscription ends with its client. */
  readonly owed: number;
  /** How many a daemon has something to say to now; a subscription that stands is content without one. */
  readonly pending: number;
  has(key: string): boolean;
  get(key: string): Request | undefined;
  add(key: string, method: string, params: unknown): Request;
  /** Its line is kept for a second sending, as long as there is room for it. */
  sent(request: Request, line: string, again: 'replayable' | 'once'): void;
  /** The lines of what was sent and may be sent again, which counts as sent once more. */
  sendAgain(): string[];
  /** What was sent and must not be sent again. */
  spent(): Request[];
  /** A daemon says that this subscription stands. Gives the first such word, if this is not it. */
  acknowledge(request: Request, line: string): string | undefined;
  remove(key: string): Request | undefined;
  /** Takes out whatever waits for a word of a daemon, in the order it came. */
  takePending(): Request[];
}

export const SUBSCRIPTION = 'subscriptions/listen';
/** What so many daemons went under is not tried on the next: it may be the reason. */
const MOST_SENDINGS = 3;

/** The client's requests that have no answer yet. Lines are kept up to `maxKeptChars` in all. */
export function createInFlight(maxKeptChars: number): InFlight {
  const requests = new Map<string, Request>();
  let keptChars = 0;
  let subscriptions = 0;
  let standing = 0;

  function remove(key: string): Request | undefined {
    const request = requests.get(key);
    requests.delete(key);
    keptChars -= request?.line?.length ?? 0;
    if (request?.method === SUBSCRIPTION) subscriptions -= 1;
    if (request?.acknowledgement !== undefined) standing -= 1;
    return request;
  }

  return {
    get size() {
      return requests.size;
    },
    get owed() {
      return requests.size - subscriptions;
    },
    get pending() {
      return requests.size - standing;
    },
    has: (key) => requests.has(key),
    get: (key) => requests.get(key),
    add(key, method, params) {
      // Of the arguments only what decides about a second sending is of use, and they may be large.
      const { name } = (params ?? {}) as { name?: unknown };
      // prettier-ignore
      const request: Request = {
        key, method, params: { name }, state: 'waiting', line: undefined, sendings: 0, acknowledgement: undefined,
      };
      requests.set(key, request);
      if (method === SUBSCRIPTION) subscriptions += 1;
      return request;
    },
    sent(request, line, again) {
      request.state = 'sent';
      request.sendings += 1;
      if (again === 'once' || keptChars + line.length > maxKeptChars) return;
      request.line = line;
      keptChars += line.length;
    },
    sendAgain() {
      const lines: string[] = [];
      for (const request of requests.values()) {
        if (request.state !== 'sent' || request.line === undefined) continue;
        lines.push(request.line);
        request.sendings += 1;
      }
      return lines;
    },
    spent: () =>
      [...requests.values()].filter(
        ({ state, line, sendings }) =>
          state === 'sent' && (line === undefined || sendings >= MOST_SENDINGS),
      ),
    acknowledge(request, line) {
      const first = request.acknowledgement;
      // Whatever other daemons went under, it was not this.
      request.sendings = 1;
      if (first !== undefined) return first;
      standing += 1;
      // One that cannot be sent again needs no more than the mark.
      request.acknowledgement = request.line === undefined ? '{}' : line;
      return undefined;
    },
    remove,
    takePending() {
      const pending = [...requests.values()].filter((each) => each.acknowledgement === undefined);
      for (const { key } of pending) remove(key);
      return pending;
    },
  };
}
