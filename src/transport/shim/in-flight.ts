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
}

export interface InFlight {
  readonly size: number;
  /** How many of them end by an answer; a subscription ends with its client. */
  readonly owed: number;
  has(key: string): boolean;
  get(key: string): Request | undefined;
  add(key: string, method: string, params: unknown): Request;
  /** Its line is kept for a second sending, as long as there is room for it. */
  sent(request: Request, line: string, again: 'replayable' | 'once'): void;
  /** The lines of what was sent and may be sent again, which counts as sent once more. */
  sendAgain(): string[];
  remove(key: string): Request | undefined;
  /** In the order they came. */
  all(): Request[];
}

const SUBSCRIPTION = 'subscriptions/listen';
/** What so many daemons went under is not tried on the next: it may be the reason. */
const MOST_SENDINGS = 3;

/** The client's requests that have no answer yet. Lines are kept up to `maxKeptChars` in all. */
export function createInFlight(maxKeptChars: number): InFlight {
  const requests = new Map<string, Request>();
  let keptChars = 0;
  let subscriptions = 0;

  return {
    get size() {
      return requests.size;
    },
    get owed() {
      return requests.size - subscriptions;
    },
    has: (key) => requests.has(key),
    get: (key) => requests.get(key),
    add(key, method, params) {
      // Of the arguments only what decides about a second sending is of use, and they may be large.
      const { name } = (params ?? {}) as { name?: unknown };
      // prettier-ignore
      const request: Request = {
        key, method, params: { name }, state: 'waiting', line: undefined, sendings: 0,
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
        const { state, line } = request;
        if (state !== 'sent' || line === undefined) continue;
        lines.push(line);
        request.sendings += 1;
        if (request.sendings < MOST_SENDINGS) continue;
        request.line = undefined;
        keptChars -= line.length;
      }
      return lines;
    },
    remove(key) {
      const request = requests.get(key);
      requests.delete(key);
      keptChars -= request?.line?.length ?? 0;
      if (request?.method === SUBSCRIPTION) subscriptions -= 1;
      return request;
    },
    all: () => [...requests.values()],
  };
}
