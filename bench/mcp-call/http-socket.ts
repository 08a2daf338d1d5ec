/** A keep-alive connection that costs as little as possible, with one request at a time. */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  /** As it came: with the sizes of its chunks, if it has any. */
  readonly body: Buffer;
}

export interface HttpSocket {
  exchange(request: string): Promise<HttpAnswer>;
  /**
   * The same for an answer that does not end: resolves with its head, and what follows is thrown
   * away.
   */
  follow(request: string): Promise<HttpAnswer>;
  close(): void;
}

const PATIENCE_MS = 120_000;
const LAST_CHUNK = '0\r\n\r\n';
const EMPTY = Buffer.alloc(0);

interface Waiting {
  readonly until: 'end' | 'head';
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (fault: Error) => void;
}

export async function openHttpSocket(port: number): Promise<HttpSocket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  let buffered: Buffer = EMPTY;
  let waiting: Waiting | undefined;
  let isFollowed = false;

  const fail = (fault: Error) => {
    waiting?.reject(fault);
    waiting = undefined;
  };
  socket.on('data', (chunk: Buffer) => {
    if (isFollowed) return;
    if (!waiting) return void socket.destroy(new Error('an answer to nothing came'));
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const answer = readAnswer(buffered, waiting.until);
    if (!answer) return;
    const { resolve, until } = waiting;
    isFollowed = until === 'head';
    buffered = EMPTY;
    waiting = undefined;
    socket.setTimeout(0);
    resolve(answer);
  });
  socket.on('timeout', () => socket.destroy(new Error('no answer in two minutes')));
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server hung up')));

  const send = (request: string, until: Waiting['until']) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      waiting = { until, resolve, reject };
      socket.setTimeout(PATIENCE_MS);
      socket.write(request);
    });
  return {
    exchange: (request) => send(request, 'end'),
    follow: (request) => send(request, 'head'),
    close: () => socket.destroy(),
  };
}

/** Nothing while it is not all there. */
function readAnswer(bytes: Buffer, until: Waiting['until']): HttpAnswer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const body = bytes.subarray(headEnd + 4);
  const answer = { status: Number(head.slice(9, 12)), head, body };
  if (until === 'head') return answer;
  const length = headerOf(head, 'content-length');
  if (length !== undefined) return body.length >= Number(length) ? answer : undefined;
  if (headerOf(head, 'transfer-encoding') === undefined) return answer;
  return body.subarray(-LAST_CHUNK.length).equals(Buffer.from(LAST_CHUNK)) ? answer : undefined;
}

export function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: *([^\\r]*)`, 'im').exec(head)?.[1];
}
