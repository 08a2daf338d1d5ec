/**
 * A WebSocket client that costs as little as possible, so that on a small machine the server gets
 * the rest.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  /** Makes so many calls, so many at a time. Rejects when one of them fails. */
  run(calls: number, inFlight: number): Promise<void>;
  close(): void;
}

const TEXT = 0x81;
const PING = 0x89;
const CLOSE = 0x88;
const RUN_MS = 120_000;

const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** The `params` of the call with this number, as JSON: each differs, as identical calls would be one. */
export type CallParams = (id: number) => string;

export const VERSION_PARAMS: CallParams = (id) =>
  `{"name":"version","arguments":{"model":"m${id}"}}`;

/** Connected and initialised. */
export async function openLoad(
  port: number,
  token: string,
  params: CallParams = VERSION_PARAMS,
): Promise<Load> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const rest = await upgrade(socket, port, token);
  let onText: (payload: Buffer) => void = () => undefined;
  let onFault: (fault: Error) => void = () => undefined;
  let buffered = rest;

  socket.on('data', (chunk: Buffer) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    socket.cork();
    buffered = takeFrames(buffered, (opcode, payload) => {
      if (opcode === TEXT) onText(payload);
      else if (opcode === PING) socket.write(frame(payload.toString(), 0x8a));
      else if (opcode === CLOSE) onFault(new Error(`closed: ${payload.subarray(2).toString()}`));
      else onFault(new Error(`a frame of kind ${opcode} was not expected`));
    });
    socket.uncork();
  });
  socket.on('error', (fault) => onFault(fault));
  socket.on('close', () => onFault(new Error('the server hung up')));

  /** Sends until so many are answered; ids must not meet those of a run before. */
  let nextId = 1;
  function exchange(total: number, inFlight: number, text: (id: number) => string): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      let answered = 0;
      const timer = setTimeout(() => reject(new Error('no answer in two minutes')), RUN_MS);
      const end = (fault?: Error) => {
        clearTimeout(timer);
        onText = () => undefined;
        onFault = () => undefined;
        if (fault) reject(fault);
        else resolve();
      };
      const send = () => {
        sent += 1;
        socket.write(frame(text(nextId++)));
      };
      onFault = end;
      onText = (payload) => {
        if (!payload.includes('"result"') || payload.includes('"isError":true')) {
          return end(new Error(`not the answer that was wanted: ${payload.toString()}`));
        }
        answered += 1;
        if (sent < total) send();
        else if (answered === total) end();
      };
      socket.cork();
      while (sent < Math.min(total, inFlight)) send();
      socket.uncork();
    });
  }

  await exchange(1, 1, () => INITIALIZE);
  socket.write(frame(INITIALIZED));
  return {
    run: (calls, inFlight) =>
      exchange(
        calls,
        inFlight,
        (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params(id)}}`,
      ),
    close: () => socket.destroy(),
  };
}

async function upgrade(socket: Socket, port: number, token: string): Promise<Buffer> {
  const lines = [
    'GET / HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol: mcp',
    `Authorization: Bearer ${token}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let head = Buffer.alloc(0);
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data', {
      signal: AbortSignal.timeout(5000),
    })) as [Buffer];
    head = Buffer.concat([head, chunk]);
  }
  const [status = ''] = head.toString('latin1').split('\r\n');
  if (!status.includes(' 101 ')) {
    socket.destroy();
    throw new Error(`port ${port} opens no WebSocket: ${status}`);
  }
  return head.subarray(head.indexOf('\r\n\r\n') + 4);
}

/** A client's frame, masked with zeroes: the protocol asks for a mask, not for work. */
function frame(text: string, opcode = TEXT): Buffer {
  const length = Buffer.byteLength(text);
  const isShort = length < 126;
  const headLength = isShort ? 6 : 8;
  const bytes = Buffer.alloc(headLength + length);
  bytes[0] = opcode;
  bytes[1] = 0x80 | (isShort ? length : 126);
  if (!isShort) bytes.writeUInt16BE(length, 2);
  bytes.write(text, headLength);
  return bytes;
}

/** Hands on each whole frame and gives back what is left. */
function takeFrames(bytes: Buffer, take: (opcode: number, payload: Buffer) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length - at < headLength) break;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    const end = at + headLength + length;
    if (bytes.length < end) break;
    take(bytes[at] ?? 0, bytes.subarray(at + headLength, end));
    at = end;
  }
  return bytes.subarray(at);
}
