import type { Caller } from '#core/call.ts';
import type { Calls, Change } from '#core/calls.ts';
import { SUBSCRIPTION, type InFlight } from './in-flight.ts';
import { errorReply, INVALID_PARAMS, isObject, resultReply, type RequestId } from './json-rpc.ts';
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
}

interface Wish {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;
const ID_KEY = 'io.modelcontextprotocol/subscriptionId';
/** Of one client, over all it asked for. */
const MAX_URIS = 10_000;

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { line, inFlight, calls, caller, facts } = options;
  const wishes = new Map<RequestId, Wish>();
  const watched = new Set<string>();
  let hasBegun = false;
  let uris = 0;
  let stop: (() => void) | undefined;

  const hear = () => void (stop ??= calls.onChange(tell));

  function tell(change: Change): void {
    if (hasBegun && ('list' in change || watched.has(change.uri))) line.send(notice(change));
    for (const [id, wish] of wishes) {
      if (isWished(wish, change)) line.send(notice(change, id), id);
    }
  }

  function forget(id: RequestId): void {
    uris -= wishes.get(id)?.resourceSubscriptions?.length ?? 0;
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
      if (!calls.canRead(caller, uri)) return line.reply(id, unknown(id, uri));
      if (!watched.has(uri)) {
        if (uris >= MAX_URIS) return line.reply(id, tooMany(id));
        watched.add(uri);
        uris += 1;
      }
      hear();
      line.reply(id, resultReply(id, '{}'));
    },
    unsubscribe({ id, params }) {
      const uri = params?.['uri'];
      if (typeof uri !== 'string') return line.reply(id, needsUri(id));
      if (watched.delete(uri)) uris -= 1;
      line.reply(id, resultReply(id, '{}'));
    },
    listen({ id, params }) {
      const wish = readWish(params?.['notifications'], (uri) => calls.canRead(caller, uri));
      if (typeof wish === 'string') return line.reply(id, invalid(id, wish));
      const count = wish.resourceSubscriptions?.length ?? 0;
      if (uris + count > MAX_URIS) return line.reply(id, tooMany(id));
      uris += count;
      inFlight.add(id, SUBSCRIPTION);
      wishes.set(id, wish);
      const granted = { notifications: wish, _meta: { [ID_KEY]: id } };
      line.send(message('notifications/subscriptions/acknowledged', granted), id);
      hear();
    },
    cancel: forget,
    end() {
      stop?.();
      for (const id of wishes.keys()) {
        forget(id);
        const meta = { ...facts.meta, [ID_KEY]: id };
        const result = { resultType: 'complete', _meta: meta };
        line.reply(id, resultReply(id, JSON.stringify(result)));
      }
    },
    drop: () => stop?.(),
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
  return wish.resourceSubscriptions?.includes(change.uri) ?? false;
}

/** What is granted of it, or a sentence that says which part is wrong. */
function readWish(given: unknown, canRead: (uri: string) => boolean): Wish | string {
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
  const readable = [...new Set(uris as string[])].filter(canRead);
  return {
    ...(given['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(given['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(given['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(readable.length > 0 && { resourceSubscriptions: readable }),
  };
}

function invalid(id: RequestId, words: string): string {
  return errorReply(id, INVALID_PARAMS, `Invalid params: ${words}`);
}

function needsUri(id: RequestId): string {
  return invalid(id, 'uri must be the address of a resource.');
}

function unknown(id: RequestId, uri: string): string {
  const words = 'There is no resource at this address. resources/list names them all.';
  return errorReply(id, LEGACY_NOT_FOUND, words, { uri });
}

const LEGACY_NOT_FOUND = -32002;

function tooMany(id: RequestId): string {
  return invalid(id, `a client may watch ${MAX_URIS.toLocaleString('en')} resources at most.`);
}
