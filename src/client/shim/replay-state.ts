import type { Log } from '#core/telemetry/telemetry.ts';
import { CALL_TOOL, normaliseToolName } from '#core/tools/tool-name.ts';
import type { PendingRequest } from './pending-requests.ts';
import { isErrorAnswer, toKey } from './rpc-lines.ts';

/** The client's `initialize` handshake, stored so that it can be repeated with the next daemon. */
interface InitializeReplay {
  /** The client sent `initialize`. */
  requested(line: string): void;
  answered(line: string): void;
  /** The client sent `notifications/initialized`. */
  confirmed(line: string): void;
  /** The request for the next daemon; undefined until a daemon has accepted it. */
  readonly request: string | undefined;
  readonly confirmation: string | undefined;
  /** Whether this line is the client's own request. */
  isRequest(line: string): boolean;
  /** Whether this id belongs to the repeated request. */
  isAnswer(key: string): boolean;
}

const REPLAYED_ID = 'exai-shim-initialize';
const REPLAYED_KEY = JSON.stringify(REPLAYED_ID);

export function createInitializeReplay(): InitializeReplay {
  let initialize: string | undefined;
  let confirmation: string | undefined;
  let isAccepted = false;
  return {
    requested: (line) => void (initialize = line),
    answered: (line) => void (isAccepted = !isErrorAnswer(line)),
    confirmed: (line) => void (confirmation = line),
    get request() {
      if (!isAccepted || initialize === undefined) return undefined;
      return JSON.stringify({ ...(JSON.parse(initialize) as object), id: REPLAYED_ID });
    },
    get confirmation() {
      return confirmation;
    },
    isRequest: (line) => line === initialize,
    isAnswer: (key) => key === REPLAYED_KEY,
  };
}

/**
 * The log level and resource subscriptions of a legacy client, stored so that the next daemon gets
 * them again.
 */
interface SessionReplay {
  /** The subscribed resource URIs. */
  readonly watched: ReadonlySet<string>;
  /** A daemon accepted this request; see `isSessionSetting`. */
  accepted(request: PendingRequest): void;
  /** The requests that restore these settings. */
  replayRequests(newId: () => string): string[];
}

/** A daemon's own limit for one client. */
const MAX_WATCHED = 10_000;
const MAX_WATCHED_CHARS = 4_194_304;

const METHODS: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function isSessionSetting(method: string): boolean {
  return METHODS.has(method);
}

export function createSessionReplay(log: Log): SessionReplay {
  const watched = new Set<string>();
  let watchedChars = 0;
  let level: string | undefined;

  function watch(uri: string): void {
    if (watched.has(uri)) return;
    if (watched.size >= MAX_WATCHED || watchedChars + uri.length > MAX_WATCHED_CHARS) {
      return log.warn('option_not_applied', { watched: watched.size });
    }
    watched.add(uri);
    watchedChars += uri.length;
  }

  return {
    watched,
    accepted({ method, line }) {
      // The request was too large to store.
      if (line === undefined) return log.warn('option_not_applied', { watched: watched.size });
      const { params } = JSON.parse(line) as { params?: { level?: unknown; uri?: unknown } };
      const value = method === 'logging/setLevel' ? params?.level : params?.uri;
      if (typeof value !== 'string') return;
      if (method === 'logging/setLevel') level = value;
      else if (method === 'resources/subscribe') watch(value);
      else if (watched.delete(value)) watchedChars -= value.length;
    },
    replayRequests(newId) {
      const format = (method: string, params: object) =>
        JSON.stringify({ jsonrpc: '2.0', id: newId(), method, params });
      return [
        ...(level === undefined ? [] : [format('logging/setLevel', { level })]),
        ...Array.from(watched, (uri) => format('resources/subscribe', { uri })),
      ];
    },
  };
}

/** Requests of the relay itself, whose answers do not go to the client. */
interface RelayRequests {
  /** An id that no pending request has. */
  newId(): string;
  has(key: string): boolean;
  /** Removes the request that this id answers; false if there is none. */
  settle(key: string): boolean;
  /** The daemon is gone. */
  clear(): void;
}

const PREFIX = 'exai-shim-';

/** `isTaken`: whether the client has a pending request with this id. */
export function createRelayRequests(isTaken: (key: string) => boolean): RelayRequests {
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

/** Open requests from the daemon to the client. No two daemons use the same id. */
interface ServerRequests {
  received(key: string): void;
  /** Removes the request that the client's answer belongs to; false if there is none. */
  isWanted(key: string | undefined): boolean;
  /** The daemon cancels a request, perhaps one of these. */
  cancelled(params: unknown): void;
  /** Removes all and returns their ids as JSON, when their daemon is gone. */
  take(): string[];
}

export function createServerRequests(): ServerRequests {
  const open = new Set<string>();
  return {
    received: (key) => void open.add(key),
    isWanted: (key) => key !== undefined && open.delete(key),
    cancelled(params) {
      const { requestId } = (params ?? {}) as { requestId?: unknown };
      open.delete(toKey(requestId) ?? '');
    },
    take() {
      const keys = [...open];
      open.clear();
      return keys;
    },
  };
}

interface OutboxLine {
  readonly line: string;
  /** Id of the request as JSON; undefined for other messages. */
  readonly key: string | undefined;
}

/** Messages that the client sent while there was no daemon. */
interface Outbox {
  readonly chars: number;
  /** Whether a message waits that could not be parsed, but that a daemon would answer. */
  readonly hasUnclassified: boolean;
  /** Marks the next message as such. */
  markUnclassified(): void;
  add(line: string, key?: string): void;
  has(line: string): boolean;
  /** Removes a request. */
  remove(key: string): void;
  /** Removes and returns all, in order. */
  take(): readonly OutboxLine[];
}

export function createOutbox(): Outbox {
  // Requests by their id, other messages by a number.
  let lines = new Map<string | number, OutboxLine>();
  let added = 0;
  let chars = 0;
  let hasUnclassifiedLine = false;
  const remove = (key: string | number) => {
    chars -= lines.get(key)?.line.length ?? 0;
    lines.delete(key);
  };
  return {
    get chars() {
      return chars;
    },
    get hasUnclassified() {
      return hasUnclassifiedLine;
    },
    markUnclassified: () => void (hasUnclassifiedLine = true),
    add(line, key) {
      if (key !== undefined) remove(key);
      lines.set(key ?? added++, { line, key });
      chars += line.length;
    },
    has: (line) => [...lines.values()].some((each) => each.line === line),
    remove,
    take() {
      const taken = [...lines.values()];
      lines = new Map();
      chars = 0;
      hasUnclassifiedLine = false;
      return taken;
    },
  };
}

/** Methods that are read-only or idempotent. */
const SAFE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'completion/complete',
  'prompts/get',
  'resources/read',
  'tasks/get',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]);

/** Whether a request may safely be sent twice. */
export function isReplayable(
  method: string,
  params: unknown,
  readOnlyTools: ReadonlySet<string>,
): boolean {
  if (SAFE.has(method) || method.endsWith('/list')) return true;
  return method === 'tools/call' && readOnlyTools.has(toolOf(params));
}

/** The tool that a call runs; of `call_tool`, the tool that it names. */
function toolOf(params: unknown): string {
  const name = nameOf(params);
  return name === CALL_TOOL ? nameOf((params as { arguments?: unknown }).arguments) : name;
}

function nameOf(params: unknown): string {
  const { name } = (params ?? {}) as { name?: unknown };
  return typeof name === 'string' ? normaliseToolName(name) : '';
}
