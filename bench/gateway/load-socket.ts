/** A keep-alive connection that costs as little as possible, with one request at a time. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { bodyOf, type Ask } from './asks.ts';
import { PATHS, type Target } from './load-protocol.ts';

const PATIENCE_MS = 60_000;
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

export interface Received {
  /** Head and body, with the sizes of its chunks if it has any. */
  readonly bytes: Buffer;
  readonly sentAt: bigint;
  /** When each piece of it came. */
  readonly pieces: readonly { readonly bytes: Buffer; readonly at: bigint }[];
}

export interface LoadSocket {
  exchange(request: string): Promise<Received>;
  close(): void;
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

export async function openLoadSocket(port: number): Promise<LoadSocket> {
  const socket = await dial(port);
  let pieces: { bytes: Buffer; at: bigint }[] = [];
  let settle: { resolve: () => void; reject: (fault: Error) => void } | undefined;
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in a minute')));
  socket.on('data', (bytes: Buffer) => {
    pieces.push({ bytes, at: process.hrtime.bigint() });
    if (isWhole(pieces)) settle?.resolve();
  });
  socket.on('error', (fault) => settle?.reject(fault));
  socket.on('close', () => settle?.reject(new Error(`hung up after ${textOf(pieces)}`)));
  return {
    async exchange(request) {
      pieces = [];
      const ended = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
      const sentAt = process.hrtime.bigint();
      socket.write(request);
      await ended;
      settle = undefined;
      return { bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)), sentAt, pieces };
    },
    close: () => socket.destroy(),
  };
}

/**
 * Looks at the last bytes where the answer comes in chunks, and counts them where its length is
 * told.
 */
function isWhole(pieces: readonly { readonly bytes: Buffer }[]): boolean {
  const [first, last] = [pieces[0]?.bytes, pieces.at(-1)?.bytes];
  if (!first || !last) return false;
  if (last.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return true;
  const headEnd = first.indexOf('\r\n\r\n');
  const length = /content-length: *(\d+)/i.exec(first.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) {
    // The end of the last chunk came alone.
    const tail = textOf(pieces.slice(-2)).slice(-LAST_CHUNK.length);
    return tail === LAST_CHUNK.toString();
  }
  const size = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return size >= headEnd + 4 + Number(length);
}

function textOf(pieces: readonly { readonly bytes: Buffer }[]): string {
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString('latin1');
}

export function requestText({ port, dialect, headers }: Target, ask: Ask, n: number): string {
  const body = bodyOf(dialect, ask, n);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `POST ${PATHS[dialect]} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
