import { once } from 'node:events';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createEventReader } from './event-reader.ts';
import type { Ear, Era, OpenWire, PeerAnswer, Wire } from './peer.ts';
import {
  LEGACY_VERSION,
  MODERN_VERSION,
  VERSION_KEY,
  type Members,
  type Message,
  type RequestId,
} from './rpc.ts';

const MAX_SOCKETS = 32;
const ACCEPTED = 202;
const EVENTS = 'text/event-stream';

type Headers = Record<string, string>;

/** What a stream has said so far, for who comes back to it. */
interface Reading {
  isAnswered: boolean;
  lastEventId: string | undefined;
  retryMs: number;
}

/**
 * Streamable HTTP: with a session in the legacy era, and every request by itself in the modern one.
 */
export function overHttp(url: string, token?: string): OpenWire {
  return async (ear, era) => createHttpWire(`${url}/mcp`, ear, era, token);
}

function createHttpWire(url: string, ear: Ear, era: Era, token: string | undefined): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const open = new Map<RequestId, ClientRequest>();
  const cancelled = new Set<RequestId>();
  let unsolicited: ClientRequest | undefined;
  let session: string | undefined;

  function headersFor(message: Message | undefined): Headers {
    return {
      accept: `application/json, ${EVENTS}`,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(session !== undefined && {
        'mcp-session-id': session,
        'mcp-protocol-version': LEGACY_VERSION,
      }),
      ...(era === 'modern' && message && modernHeaders(message)),
    };
  }

  async function exchange(
    method: 'POST' | 'GET' | 'DELETE',
    headers: Headers,
    body?: string,
    id?: RequestId,
  ): Promise<IncomingMessage> {
    const call = request(url, { method, agent: method === 'GET' ? false : agent, headers });
    if (id !== undefined) open.set(id, call);
    if (method === 'GET' && id === undefined) unsolicited = call;
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return response.setEncoding('utf8');
  }

  function post(message: Message, id?: RequestId): Promise<IncomingMessage> {
    const headers = { ...headersFor(message), 'content-type': 'application/json' };
    return exchange('POST', headers, JSON.stringify({ jsonrpc: '2.0', ...message }), id);
  }

  async function ask(id: RequestId, message: Message): Promise<void> {
    let end: 'answered' | 'silent' = 'silent';
    try {
      const response = await post(message, id);
      const given = response.headers['mcp-session-id'];
      if (typeof given === 'string') session = given;
      end = await readAnswer(id, response);
    } catch (thrown) {
      // Who hangs up is told so by an error of its own.
      if (!cancelled.has(id)) throw thrown;
    } finally {
      open.delete(id);
    }
    if (end === 'silent') ear.ended(id);
  }

  async function readAnswer(
    id: RequestId,
    response: IncomingMessage,
  ): Promise<'answered' | 'silent'> {
    const { statusCode: status = 0, headers } = response;
    if (headers['content-type'] !== EVENTS) {
      ear.hear(JSON.parse(await textOf(response)) as Message, id, status);
      return 'answered';
    }
    const reading: Reading = { isAnswered: false, lastEventId: undefined, retryMs: 0 };
    const hear = (message: Message) => {
      if (message.method === undefined) reading.isAnswered = true;
      ear.hear(message, id, status);
    };
    let stream = response;
    for (;;) {
      await readEvents(stream, reading, hear);
      const { isAnswered, lastEventId, retryMs } = reading;
      if (isAnswered) return 'answered';
      if (cancelled.has(id) || lastEventId === undefined) return 'silent';
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      const again = { ...headersFor(undefined), 'last-event-id': lastEventId };
      stream = await exchange('GET', again, undefined, id);
    }
  }

  async function send(message: Message): Promise<void> {
    const { id, method } = message;
    if (id !== undefined && id !== null && method !== undefined) return ask(id, message);
    const response = await post(message);
    const text = await textOf(response);
    if (response.statusCode === ACCEPTED && text === '') return;
    throw new Error(`${method ?? 'an answer'} got ${response.statusCode}: ${text}`);
  }

  function hangUp(): void {
    unsolicited?.destroy();
    for (const [id, call] of open) {
      cancelled.add(id);
      call.destroy();
    }
  }

  return {
    send,
    async cancel(requestId) {
      cancelled.add(requestId);
      if (era === 'modern') open.get(requestId)?.destroy();
      else await send({ method: 'notifications/cancelled', params: { requestId } });
    },
    async say(text): Promise<PeerAnswer> {
      const headers = { ...headersFor(undefined), 'content-type': 'application/json' };
      const response = await exchange('POST', headers, text);
      const message = JSON.parse(await textOf(response)) as Message;
      return { message, status: response.statusCode ?? 0 };
    },
    async listen() {
      const stream = await exchange('GET', headersFor(undefined));
      if (stream.statusCode !== 200) throw new Error(`GET got ${stream.statusCode}`);
      const reading: Reading = { isAnswered: false, lastEventId: undefined, retryMs: 0 };
      // It breaks off when the peer leaves.
      readEvents(stream, reading, (message) => ear.hear(message)).catch(() => {});
    },
    async close() {
      hangUp();
      // Of a daemon that is gone the session is gone as well.
      if (session !== undefined) await exchange('DELETE', headersFor(undefined)).catch(() => {});
      agent.destroy();
    },
    async vanish() {
      hangUp();
      agent.destroy();
    },
  };
}

/** What the modern era has a client repeat of its message. */
function modernHeaders({ method, params }: Message): Headers {
  const meta = (params?.['_meta'] ?? {}) as Members;
  const claimed = meta[VERSION_KEY] ?? MODERN_VERSION;
  const name = method === 'resources/read' ? params?.['uri'] : params?.['name'];
  const isNamed = ['tools/call', 'prompts/get', 'resources/read'].includes(method ?? '');
  return {
    ...(typeof claimed === 'string' && { 'mcp-protocol-version': claimed }),
    ...(method !== undefined && { 'mcp-method': method }),
    ...(isNamed && typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  };
}

function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

async function readEvents(
  stream: IncomingMessage,
  reading: Reading,
  hear: (message: Message) => void,
): Promise<void> {
  const read = createEventReader(({ id, data, retryMs }) => {
    if (id !== undefined) reading.lastEventId = id;
    if (retryMs !== undefined) reading.retryMs = retryMs;
    if (data !== '') hear(JSON.parse(data) as Message);
  });
  for await (const chunk of stream) read(String(chunk));
}
