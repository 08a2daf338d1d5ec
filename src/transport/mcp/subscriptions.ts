import type { Caller } from '#core/call.ts';
import type { Calls, Change } from '#core/calls.ts';
import { SUBSCRIPTION, type InFlight } from './in-flight.ts';
import {
  errorReply,
  INVALID_PARAMS,
  isObject,
  RESOURCE_NOT_FOUND,
  resultReply,
  type RequestId,
} from './json-rpc.ts';
import type { McpLine } from './mcp-line.ts';
import type { RpcRequest } from './read-message.ts';
import type { ServerFacts } from './server-facts.ts';

/** Tells one client of what changes, as far as it wants to hear of it, in the way of its era. */
export interface Subscriptions {
  /** A legacy client is told of every list from its beginning on. */
  begin(): void;
  subscribe(request: RpcRequest): void;
  unsubscribe(request: RpcRequest): void;
  /** The modern way: one request that stays open. */
  listen(request: RpcRequest): void;
  /** The client ends one of these. */
  cancel(id: RequestId): void;
  /** Says the last word of each. */
  end(): void;
  drop(): void;
}

export interface SubscriptionsOptions {
  readonly line: McpLine;
  readonly inFlight: InFlight;
  readonly calls: Calls;
  readonly caller: Caller;
  readonly facts: ServerFacts;
  readonly budget: WatchBudget;
}

interface Wish {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: ReadonlySet<string>;
}

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;
const ID_KEY = 'io.modelcontextprotocol/subscriptionId';
/** Of one client, over all it asked for. */
const MAX_URIS = 10_000;
const MAX_CHARS = 1024 * 1024;
/** Addresses that are longer are nobody's. */
const MAX_URI_CHARS = 2048;

/** What all clients together watch; who comes too late is told so. */
export interface WatchBudget {
  chars: number;
}
const MAX_ALL_CHARS = 64 * 1024 * 1024;

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { line, inFlight, calls, caller, facts, budget } = options;
  const wishes = new Map<RequestId, Wish>();
  const watched = new Set<string>();
  let hasBegun = false;
  let uris = 0;
  let chars = 0;
  let stop: (() => void) | undefined;

  const hear = () => void (stop ??= calls.onChange(tell));

  function tell(change: Change): void {
    if (hasBegun && ('list' in change || watched.has(change.uri))) line.send(notice(change));
    for (const [id, wish] of wishes) {
      if (isWished(wish, change)) line.send(notice(change, id), id);
    }
  }

  const canWatch = (uri: string) => uri.length <= MAX_URI_CHARS && calls.canWatch(caller, uri);

  /** Whether there is room for these; then they are counted. */
  function take(added: readonly string[]): boolean {
    const more = charsOf(added);
    const isTooMuch = uris + added.length > MAX_URIS || chars + more > MAX_CHARS;
    if (isTooMuch || budget.chars + more > MAX_ALL_CHARS) return false;
    uris += added.length;
    chars += more;
    budget.chars += more;
    return true;
  }

  function give(removed: readonly string[]): void {
    const less = charsOf(removed);
    uris -= removed.length;
    chars -= less;
    budget.chars -= less;
  }

  function giveAll(): void {
    stop?.();
    stop = undefined;
    budget.chars -= chars;
    uris = chars = 0;
  }

  function forget(id: RequestId): void {
    give([...(wishes.get(id)?.resourceSubscriptions ?? [])]);
    wishes.delete(id);
    inFlight.remove(id);
  }

  return {
    begin() {
      hasBegun = true;
      hear();
    },
    subscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return line.reply(id, needsUri(id));
      if (!canWatch(uri)) return line.reply(id, unknown(id, uri));
      if (!watched.has(uri) && !take([uri])) return line.reply(id, tooMany(id));
      watched.add(uri);
      hear();
      line.reply(id, resultReply(id, '{}'));
    },
    unsubscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return line.reply(id, needsUri(id));
      if (watched.delete(uri)) give([uri]);
      line.reply(id, resultReply(id, '{}'));
    },
    listen({ id, params }) {
      const wish = readWish(params?.['notifications'], canWatch);
      if (typeof wish === 'string') return line.reply(id, invalid(id, wish));
      const addresses = [...(wish.resourceSubscriptions ?? [])];
      if (!take(addresses)) return line.reply(id, tooMany(id));
      inFlight.add(id, SUBSCRIPTION);
      wishes.set(id, wish);
      const resourceSubscriptions = addresses.length > 0 ? addresses : undefined;
      const granted = {
        notifications: { ...wish, resourceSubscriptions },
        _meta: { [ID_KEY]: id },
      };
      line.send(message('notifications/subscriptions/acknowledged', granted), id);
      hear();
    },
    cancel: forget,
    end() {
      for (const id of wishes.keys()) {
        forget(id);
        const meta = { ...facts.meta, [ID_KEY]: id };
        const result = { resultType: 'complete', _meta: meta };
        line.reply(id, resultReply(id, JSON.stringify(result)));
      }
      giveAll();
    },
    drop: giveAll,
  };
}

function notice(change: Change, subscription?: RequestId): string {
  const meta = subscription === undefined ? {} : { _meta: { [ID_KEY]: subscription } };
  if ('uri' in change)
    return message('notifications/resources/updated', { uri: change.uri, ...meta });
  const method = `notifications/${change.list}/list_changed`;
  return message(method, subscription === undefined ? undefined : meta);
}

function message(method: string, params: object | undefined): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
}

function isWished(wish: Wish, change: Change): boolean {
  if ('list' in change) return wish[`${change.list}ListChanged`] === true;
  return wish.resourceSubscriptions?.has(change.uri) ?? false;
}

/** What is granted of it, or a sentence that says which part is wrong. */
function readWish(given: unknown, canWatch: (uri: string) => boolean): Wish | string {
  if (!isObject(given)) return 'notifications must be an object: what the client wants to hear of.';
  for (const name of LISTS) {
    const value = given[name];
    if (value !== undefined && typeof value !== 'boolean') {
      return `notifications.${name} must be true, false or left out.`;
    }
  }
  const uris = given['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    return 'notifications.resourceSubscriptions must be a list of addresses.';
  }
  const readable = new Set((uris as string[]).filter(canWatch));
  return {
    ...(given['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(given['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(given['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(readable.size > 0 && { resourceSubscriptions: readable }),
  };
}

function charsOf(uris: readonly string[]): number {
  return uris.reduce((sum, uri) => sum + uri.length, 0);
}

function invalid(id: RequestId, words: string): string {
  return errorReply(id, INVALID_PARAMS, `Invalid params: ${words}`);
}

function needsUri(id: RequestId): string {
  return invalid(id, 'uri must be the address of a resource.');
}

function unknown(id: RequestId, uri: string): string {
  const words = 'There is no resource at this address that tells of its changes.';
  return errorReply(id, RESOURCE_NOT_FOUND, words, { uri });
}

function tooMany(id: RequestId): string {
  return invalid(id, 'these are more resources than a client may watch, or than all may together.');
}
