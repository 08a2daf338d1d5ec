import { connect } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { createAnswerReader, type AnswerHead } from './answer-reader.ts';

/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Nothing for an event that only says where the stream is. */
  readonly message: StreamMessage | undefined;
}

export interface StreamMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface StreamRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface StreamSocket {
  /** Resolves with the head of the answer; rejects when the connection ends without one. */
  readonly opened: Promise<AnswerHead>;
  /** `ended`: by the daemon, after its last event. `cut`: in the middle, by whomever. */
  readonly over: Promise<'ended' | 'cut'>;
  /** What an answer that is no stream says. */
  readonly body: () => string;
  /** How many bytes have come, head included. */
  readonly bytes: () => number;
  /** Resets the connection. */
  drop(): void;
}

export interface StreamOptions {
  /** Every event that came whole. */
  readonly onEvent: (event: StreamEvent) => void;
  /**
   * The connection is reset when so many bytes have come, head included; what follows is not looked
   * at.
   */
  readonly cutAfterBytes?: number;
}

/** Sends one request on a connection of its own and reads its answer event by event. */
export function openStream(
  url: string,
  { method, headers, body = '' }: StreamRequest,
  { onEvent, cutAfterBytes = Number.POSITIVE_INFINITY }: StreamOptions,
): StreamSocket {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const decoder = new StringDecoder('utf8');
  let text = '';
  let bytes = 0;
  let isWhole = false;
  let head: AnswerHead | undefined;
  let opened: (head: AnswerHead) => void = () => {};
  let refused: (why: Error) => void = () => {};
  let over: (how: 'ended' | 'cut') => void = () => {};
  const stream: StreamSocket = {
    opened: new Promise((resolve, reject) => ([opened, refused] = [resolve, reject])),
    over: new Promise((resolve) => (over = resolve)),
    body: () => text,
    bytes: () => bytes,
    drop: () => void socket.resetAndDestroy(),
  };
  // Not everybody who drops a stream asks how it began.
  stream.opened.catch(() => undefined);

  const reader = createAnswerReader(() => method, {
    head(given) {
      head = given;
      opened(given);
    },
    body(piece) {
      text += decoder.write(piece);
      if (head?.headers.get('content-type') !== 'text/event-stream') return;
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = readEvent(text.slice(0, end));
        text = text.slice(end + 2);
        if (event) onEvent(event);
      }
    },
    end() {
      isWhole = true;
      socket.destroy();
    },
    strange: (why) => refused(new Error(`The answer is no HTTP: ${why}`)),
  });
  socket.on('connect', () => {
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    const length = method === 'POST' ? `content-length: ${Buffer.byteLength(body)}\r\n` : '';
    socket.write(`${method} /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n${length}\r\n${body}`);
  });
  socket.on('data', (piece: Buffer) => {
    if (bytes >= cutAfterBytes) return;
    reader.read(piece.subarray(0, cutAfterBytes - bytes));
    bytes += piece.length;
    if (bytes >= cutAfterBytes && !isWhole) socket.resetAndDestroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    reader.close();
    refused(new Error('The connection ended before an answer.'));
    over(isWhole ? 'ended' : 'cut');
  });
  return stream;
}

/** Nothing for a mere sign of life. */
function readEvent(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  if (fields.size === 0) return undefined;
  const data = fields.get('data') ?? '';
  return {
    id: fields.get('id'),
    message: data === '' ? undefined : (JSON.parse(data) as StreamMessage),
  };
}
