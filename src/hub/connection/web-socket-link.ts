import { WebSocket } from 'ws';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { JsonTooComplexError } from '#core/json/json-guard.ts';
import { LARGE_BODY_BYTES, parseLargeBody } from '#core/large-json/parse-large-body.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { VERSION } from '#core/version.ts';
import type { OpenSocketTo } from '#net/open-socket-to.ts';
import type { LinkHandlers, MessageLink } from './message-link.ts';
import { parseMessage } from './parse-message.ts';

export interface WsOptions {
  /** The name of the server. */
  readonly server: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the socket: proxy, certificates and offline mode are the network's. */
  readonly dial: OpenSocketTo;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  readonly newMark: () => string;
  readonly signal: AbortSignalLike;
}

const SUBPROTOCOL = 'mcp';
const NORMAL = 1000;
const TOO_LARGE = 1009;
const MAX_NOISE_CHARS = 500;

/** MCP over a WebSocket, one message a frame. */
export async function openWebSocketLink(
  options: WsOptions,
  handlers: LinkHandlers,
): Promise<MessageLink> {
  const { server, url, signal } = options;
  const socket = await options.dial(url, signal).catch((thrown: unknown) => {
    throw notReached(server, thrown);
  });
  const ws = new WebSocket(url, [SUBPROTOCOL], {
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: options.maxMessageBytes,
    headers: { 'user-agent': `exai/${VERSION}`, ...options.headers },
    createConnection: () => socket,
  });
  let failure: CallError | undefined;
  let isClosing = false;
  /** Set while a large message is parsed: what comes after it. */
  let waiting: Buffer[] | undefined;

  function take(frame: Buffer): void {
    if (waiting) waiting.push(frame);
    else if (frame.length > LARGE_BODY_BYTES) void takeLarge(frame);
    else takeSmall(frame);
  }

  function takeSmall(frame: Buffer): void {
    const text = frame.toString('utf8');
    let message: unknown;
    try {
      message = parseMessage(text);
    } catch {
      return handlers.onNoise(text.slice(0, MAX_NOISE_CHARS));
    }
    handlers.onMessage(message);
  }

  async function takeLarge(frame: Buffer): Promise<void> {
    waiting = [];
    try {
      handlers.onMessage(await parseLargeBody(frame, options.newMark()));
    } catch (thrown) {
      if (thrown instanceof JsonTooComplexError) handlers.onOversized(undefined);
      else handlers.onNoise(frame.subarray(0, MAX_NOISE_CHARS).toString('utf8'));
    }
    const next = waiting;
    waiting = undefined;
    for (const each of next) take(each);
  }

  ws.on('message', (data) => take(data as Buffer));
  ws.on('unexpected-response', (request, { statusCode: status = 0 }) => {
    const isAuth = status === 401 || status === 403;
    failure = isAuth
      ? codedError('auth', reason('server_unauthorized', { server, status }))
      : codedError('network', reason('server_http_status', { server, status, text: '' }));
    request.destroy();
    ws.terminate();
  });
  ws.on('error', (error) => {
    const isTooLarge = (error as { code?: string }).code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    failure ??= isTooLarge ? tooLarge(options) : notReached(server, error);
  });
  ws.on('close', (code) => {
    if (isClosing)
      handlers.onClose(codedError('interrupted', reason('server_stopped', { server })));
    else if (code === TOO_LARGE) handlers.onClose(failure ?? tooLarge(options));
    else handlers.onClose(failure ?? codedError('network', reason('server_hung_up', { server })));
  });

  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      failure = CallError.from(signal.reason);
      ws.terminate();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    ws.once('open', () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    ws.once('close', () =>
      reject(failure ?? codedError('network', reason('server_hung_up', { server }))),
    );
  });

  return {
    send(json) {
      if (ws.readyState === WebSocket.OPEN) ws.send(json);
    },
    get unsentBytes() {
      return ws.bufferedAmount;
    },
    async close() {
      isClosing = true;
      if (ws.readyState === WebSocket.CLOSED) return;
      const closed = new Promise<void>((resolve) => void ws.once('close', () => resolve()));
      ws.close(NORMAL);
      // A server that does not answer the close must not hold us.
      const timer = options.clock.after(GOODBYE_MS, () => ws.terminate());
      await closed;
      timer.stop();
    },
  };
}

const GOODBYE_MS = 1_000;

function notReached(server: string, thrown: unknown): CallError {
  const error = CallError.from(thrown);
  if (error.reason) return error;
  return codedError('network', reason('server_not_reached', { server, detail: error.message }), {
    cause: error,
  });
}

function tooLarge({ server, maxMessageBytes: maxBytes }: WsOptions): CallError {
  return codedError('too_large', reason('server_message_too_large', { server, maxBytes }));
}
