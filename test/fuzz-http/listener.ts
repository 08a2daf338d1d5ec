import { claim, MODERN } from './any-rpc.ts';
import type { McpHttp } from './mcp-http.ts';
import {
  openStream,
  type StreamEvent,
  type StreamRequest,
  type StreamSocket,
} from './stream-socket.ts';

/** Somebody who has a stream open to hear of changes. */
export interface Listener {
  /** The lists that were said to have changed, in the order heard. */
  readonly heard: readonly string[];
  /** The ids of those events, where they have any. */
  readonly ids: readonly string[];
  /** Resolves when the stream is open; again and again, from where it was. */
  readonly listen: () => Promise<void>;
  /** Resolves when so many changes were heard, or when nothing more seems to come. */
  readonly hears: (count: number) => Promise<void>;
  /** Resets the connection. */
  readonly drop: () => Promise<void>;
}

const LATE_MS = 90_000;
const LIST_CHANGED = /^notifications\/(\w+)\/list_changed$/;
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const LISTEN = 'subscriptions/listen';

/** In a session: who comes back hears what was missed. */
export function createListener(http: McpHttp, session: string): Listener {
  return createEar(http, (last) => ({
    method: 'GET',
    headers: {
      accept: 'text/event-stream',
      'mcp-session-id': session,
      ...(last !== undefined && { 'last-event-id': last }),
    },
  }));
}

/** Of the stateless era: what is dropped is over. */
export function createModernListener(http: McpHttp): Listener {
  const notifications = { toolsListChanged: true, promptsListChanged: true };
  const params = { notifications, _meta: claim() };
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': MODERN,
    'mcp-method': LISTEN,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: LISTEN, params });
  return createEar(http, () => ({ method: 'POST', headers, body }));
}

function createEar(
  { url, token }: McpHttp,
  toRequest: (last: string | undefined) => StreamRequest,
): Listener {
  const heard: string[] = [];
  const ids: string[] = [];
  let last: string | undefined;
  let stream: StreamSocket | undefined;
  let wake = () => {};

  function onEvent({ id, message }: StreamEvent): void {
    last = id ?? last;
    if (!message || message.method === ACKNOWLEDGED) return;
    heard.push(LIST_CHANGED.exec(message.method ?? '')?.[1] ?? JSON.stringify(message));
    if (id !== undefined) ids.push(id);
    wake();
  }

  return {
    heard,
    ids,
    async listen() {
      const request = toRequest(last);
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { ...request.headers, ...authorization };
      stream = openStream(url, { ...request, headers }, { onEvent });
      const { status } = await stream.opened;
      if (status !== 200) throw new Error(`${request.method} got ${status}`);
    },
    async hears(count) {
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        wake();
      }, LATE_MS);
      while (heard.length < count && !isLate) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      clearTimeout(late);
    },
    async drop() {
      stream?.drop();
      await stream?.over;
    },
  };
}
