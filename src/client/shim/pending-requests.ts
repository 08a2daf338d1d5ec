/** A request of the client without an answer. */
export interface PendingRequest {
  /** Id as JSON. */
  readonly key: string;
  readonly method: string;
  readonly params: unknown;
  /** `waiting`: not sent to any daemon yet. */
  state: 'waiting' | 'sent';
  /** Stored while it may be sent again, if there is room. */
  line: string | undefined;
  /** Whether it may be sent again although it may have been done: it only reads. */
  isReplayable: boolean;
  /** Whether the daemon said that it did not begin it. */
  isUnbegun: boolean;
  sends: number;
  /** The acknowledgement of a subscription, as the client got it. */
  acknowledgement: string | undefined;
}

export interface PendingRequests {
  readonly size: number;
  /** Number of requests that end with an answer; a subscription ends with its client. */
  readonly unansweredCount: number;
  /** Number of requests that wait for a daemon; an acknowledged subscription does not. */
  readonly waitingCount: number;
  has(key: string): boolean;
  get(key: string): PendingRequest | undefined;
  add(key: string, method: string, params: unknown): PendingRequest;
  /** Marks it as sent, and stores its line for another attempt. */
  sent(request: PendingRequest, line: string, again: 'replayable' | 'once'): void;
  /** The lines to send to the next daemon; each counts as sent once more. */
  replayLines(): string[];
  /** The daemon has begun these requests, and no others that have no answer. */
  begun(keys: ReadonlySet<string>): void;
  /** Requests that were sent and must not be sent again. */
  unrepeatable(): PendingRequest[];
  /**
   * A daemon acknowledged this subscription. Returns the first acknowledgement, if this is a later
   * one.
   */
  acknowledge(request: PendingRequest, line: string): string | undefined;
  remove(key: string): PendingRequest | undefined;
  /** Removes and returns the requests that wait for a daemon, in order. */
  takePending(): PendingRequest[];
}

export const LISTEN_METHOD = 'subscriptions/listen';
/** A request is not sent to more daemons than this: it may be what crashes them. */
const MAX_SENDS = 3;

/** The client's unanswered requests. Stores lines up to `maxStoredChars` in total. */
export function createPendingRequests(maxStoredChars: number): PendingRequests {
  const requests = new Map<string, PendingRequest>();
  let storedChars = 0;
  let subscriptions = 0;
  let acknowledged = 0;

  function remove(key: string): PendingRequest | undefined {
    const request = requests.get(key);
    requests.delete(key);
    storedChars -= request?.line?.length ?? 0;
    if (request?.method === LISTEN_METHOD) subscriptions -= 1;
    if (request?.acknowledgement !== undefined) acknowledged -= 1;
    return request;
  }

  return {
    get size() {
      return requests.size;
    },
    get unansweredCount() {
      return requests.size - subscriptions;
    },
    get waitingCount() {
      return requests.size - acknowledged;
    },
    has: (key) => requests.has(key),
    get: (key) => requests.get(key),
    add(key, method, params) {
      // Arguments may be large; only the tool name decides about another attempt.
      const { name } = (params ?? {}) as { name?: unknown };
      // prettier-ignore
      const request: PendingRequest = {
        key, method, params: { name }, state: 'waiting', line: undefined, isReplayable: false, isUnbegun: false, sends: 0,
        acknowledgement: undefined,
      };
      requests.set(key, request);
      if (method === LISTEN_METHOD) subscriptions += 1;
      return request;
    },
    sent(request, line, again) {
      request.state = 'sent';
      request.sends += 1;
      request.isReplayable = again === 'replayable';
      if (storedChars + line.length > maxStoredChars) return;
      request.line = line;
      storedChars += line.length;
    },
    replayLines() {
      const lines: string[] = [];
      for (const request of requests.values()) {
        if (request.state !== 'sent' || request.line === undefined) continue;
        lines.push(request.line);
        request.sends += 1;
        request.isUnbegun = false;
      }
      return lines;
    },
    begun(keys) {
      for (const request of requests.values()) {
        if (request.state !== 'sent' || keys.has(request.key)) continue;
        request.isUnbegun = true;
        // It is not what stopped the daemon.
        request.sends -= 1;
      }
    },
    unrepeatable: () => [...requests.values()].filter(isUnrepeatable),
    acknowledge(request, line) {
      const first = request.acknowledgement;
      // This request did not crash the daemon.
      request.sends = 1;
      if (first !== undefined) return first;
      acknowledged += 1;
      // One that cannot be sent again only needs to be marked.
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

function isUnrepeatable({ state, line, isUnbegun, isReplayable, sends }: PendingRequest): boolean {
  if (state !== 'sent') return false;
  if (line === undefined) return true;
  return !isUnbegun && (!isReplayable || sends >= MAX_SENDS);
}
