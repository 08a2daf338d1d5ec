export interface Request {
  /** Its id, as JSON. */
  readonly key: string;
  readonly method: string;
  readonly params: unknown;
  /** `waiting`: no daemon has seen it yet. */
  state: 'waiting' | 'sent';
  /** Kept while it may be sent again. */
  line: string | undefined;
}

export interface InFlight {
  readonly size: number;
  has(key: string): boolean;
  get(key: string): Request | undefined;
  add(key: string, method: string, params: unknown): Request;
  /** Its line is kept for a second sending, as long as there is room for it. */
  sent(request: Request, line: string, again: 'replayable' | 'once'): void;
  remove(key: string): Request | undefined;
  /** In the order they came. */
  all(): Request[];
}

/** The client's requests that have no answer yet. Lines are kept up to `maxKeptChars` in all. */
export function createInFlight(maxKeptChars: number): InFlight {
  const requests = new Map<string, Request>();
  let keptChars = 0;

  return {
    get size() {
      return requests.size;
    },
    has: (key) => requests.has(key),
    get: (key) => requests.get(key),
    add(key, method, params) {
      // Of the arguments only what decides about a second sending is of use, and they may be large.
      const { name } = (params ?? {}) as { name?: unknown };
      const request: Request = { key, method, params: { name }, state: 'waiting', line: undefined };
      requests.set(key, request);
      return request;
    },
    sent(request, line, again) {
      request.state = 'sent';
      if (again === 'once' || keptChars + line.length > maxKeptChars) return;
      request.line = line;
      keptChars += line.length;
    },
    remove(key) {
      const request = requests.get(key);
      requests.delete(key);
      keptChars -= request?.line?.length ?? 0;
      return request;
    },
    all: () => [...requests.values()],
  };
}
