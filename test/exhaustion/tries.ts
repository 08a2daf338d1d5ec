import type { Socket } from 'node:net';
import { frame, frameHead, upgrade } from './frames.ts';

/** One way to use up a daemon. */
export interface Try {
  readonly name: string;
  /** Connections; 150 unless told. */
  readonly count?: number;
  readonly reading?: 'read' | 'unread';
  /** What each connection does; `authorization` is the line of its token, or nothing. */
  readonly act: (socket: Socket, authorization: string, token: string) => void;
}

const MIB = 1024 * 1024;
const FILLING = Buffer.alloc(MIB, 0x61);

function post(path: string, authorization: string, more: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${authorization}${more}\r\n`;
}

const request = (path: string, authorization: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n${authorization}\r\n`;

/** Sends again and again, while the daemon takes it. */
function flood(socket: Socket, bytes: Buffer | string, times: number): void {
  let left = times;
  const go = () => {
    while (left > 0 && socket.writable) {
      left -= 1;
      if (!socket.write(bytes)) return void socket.once('drain', go);
    }
  };
  go();
}

/** A byte at a time, a few of them. */
function trickle(socket: Socket, text: string | Buffer): void {
  let at = 0;
  const go = () => {
    if (at >= text.length || !socket.writable) return;
    socket.write(Buffer.from(text).subarray(at, at + 1));
    at += 1;
    setTimeout(go, 10);
  };
  go();
}

const HTTP_TRIES: readonly Try[] = [
  { name: 'idle sockets', count: 1000, act: () => undefined },
  { name: 'half a request line', count: 500, act: (socket) => void socket.write('GET /mc') },
  {
    name: 'half headers',
    count: 500,
    act: (socket, authorization) =>
      void socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${authorization}X-Half`),
  },
  {
    name: 'large headers without an end',
    act: (socket) => void socket.write(`GET /mcp HTTP/1.1\r\nX: ${'x'.repeat(15_000)}`),
  },
  {
    name: 'headers that are too large',
    act: (socket) => flood(socket, `X-${'x'.repeat(60_000)}: x\r\n`, 10),
  },
  { name: 'headers byte by byte', act: (socket) => trickle(socket, request('/mcp', '')) },
  {
    name: 'half bodies for MCP',
    count: 500,
    act(socket, authorization) {
      socket.write(post('/mcp', authorization, 'Content-Length: 4000000\r\n'));
      socket.write(FILLING.subarray(0, 65_536));
    },
  },
  {
    name: 'half bodies for chats',
    act(socket, authorization) {
      socket.write(post('/v1/chat/completions', authorization, 'Content-Length: 30000000\r\n'));
      flood(socket, FILLING, 2);
    },
  },
  {
    name: 'half bodies for messages',
    act(socket, authorization) {
      socket.write(post('/v1/messages', authorization, 'Content-Length: 30000000\r\n'));
      flood(socket, FILLING, 2);
    },
  },
  {
    name: 'half bodies where nothing is posted',
    act: (socket, authorization) =>
      void socket.write(post('/healthz', authorization, 'Content-Length: 100\r\n')),
  },
  {
    name: 'chunks without an end',
    act(socket, authorization) {
      socket.write(post('/mcp', authorization, 'Transfer-Encoding: chunked\r\n'));
      flood(socket, `10000\r\n${'x'.repeat(65_536)}\r\n`, 20);
    },
  },
  {
    name: 'chunks of one byte',
    act(socket, authorization) {
      socket.write(post('/mcp', authorization, 'Transfer-Encoding: chunked\r\n'));
      flood(socket, '1\r\nx\r\n'.repeat(2000), 10);
    },
  },
  {
    name: 'bodies byte by byte',
    act(socket, authorization) {
      socket.write(post('/mcp', authorization, 'Content-Length: 100000\r\n'));
      trickle(socket, 'x'.repeat(50));
    },
  },
  {
    name: 'pipelined requests',
    count: 50,
    act: (socket, authorization) => flood(socket, request('/healthz', authorization), 400),
  },
  {
    name: 'pipelined requests that are not read',
    count: 50,
    reading: 'unread',
    act: (socket, authorization) => flood(socket, request('/metrics', authorization), 2000),
  },
  {
    name: 'half bodies behind pipelined requests',
    act(socket, authorization) {
      flood(socket, request('/healthz', authorization), 20);
      socket.write(post('/mcp', authorization, 'Content-Length: 1000\r\n'));
    },
  },
  {
    name: 'streams that are not read',
    reading: 'unread',
    act: (socket, authorization) => void socket.write(request('/sse', authorization)),
  },
  {
    name: 'bodies of the largest size that are no JSON',
    count: 20,
    act(socket, authorization) {
      socket.write(post('/mcp', authorization, `Content-Length: ${4 * MIB}\r\n`));
      flood(socket, FILLING, 4);
    },
  },
];

const WS_TRIES: readonly Try[] = [
  { name: 'silent WebSockets', count: 600, act: (socket, who) => void socket.write(upgrade(who)) },
  {
    name: 'upgrades without a key',
    count: 500,
    act: (socket, who) => void socket.write(upgrade(who).replace(/Sec-WebSocket-Key.*\r\n/, '')),
  },
  {
    name: 'upgrades to another protocol',
    count: 500,
    act: (socket, who) => void socket.write(upgrade(who).replace('websocket', 'h2c')),
  },
  {
    name: 'large frames without their end',
    count: 40,
    act(socket, who) {
      socket.write(upgrade(who));
      socket.write(frameHead(1, 32 * MIB));
      flood(socket, FILLING, 31);
    },
  },
  {
    name: 'small frames without their end',
    count: 500,
    act: (socket, who) => void socket.write(Buffer.concat([Buffer.from(upgrade(who)), HALF])),
  },
  {
    name: 'frame heads byte by byte',
    act(socket, who) {
      socket.write(upgrade(who));
      trickle(socket, frameHead(1, 30_000_000));
    },
  },
  {
    name: 'fragments of one byte',
    act(socket, who) {
      socket.write(upgrade(who));
      socket.write(frame(1, 'x', 'open'));
      flood(socket, Buffer.concat(Array.from({ length: 2000 }, () => frame(0, 'x', 'open'))), 10);
    },
  },
  {
    name: 'fragments without a byte',
    act(socket, who) {
      socket.write(upgrade(who));
      socket.write(frame(1, '', 'open'));
      flood(socket, Buffer.concat(Array.from({ length: 2000 }, () => frame(0, '', 'open'))), 10);
    },
  },
  {
    name: 'large fragments without an end',
    count: 60,
    act(socket, who) {
      socket.write(upgrade(who));
      socket.write(frame(2, FILLING, 'open'));
      flood(socket, frame(0, FILLING, 'open'), 20);
    },
  },
  {
    name: 'pings whose answers are not read',
    count: 20,
    reading: 'unread',
    act(socket, who) {
      socket.write(upgrade(who));
      flood(socket, PINGS, 200);
    },
  },
  {
    name: 'pings',
    count: 20,
    act(socket, who) {
      socket.write(upgrade(who));
      flood(socket, PINGS, 20);
    },
  },
  {
    name: 'pongs that nobody asked for',
    count: 20,
    act(socket, who) {
      socket.write(upgrade(who));
      flood(socket, Buffer.concat(Array.from({ length: 1000 }, () => frame(10, 'x'))), 20);
    },
  },
  {
    name: 'texts that are no hello',
    act(socket, who) {
      socket.write(upgrade(who));
      flood(socket, frame(1, '{"op":"list_tools"}'), 100);
    },
  },
  {
    name: 'continuations of nothing',
    act: (socket, who) =>
      void socket.write(Buffer.concat([Buffer.from(upgrade(who)), frame(0, 'x')])),
  },
  {
    name: 'hellos with a wrong token',
    count: 400,
    act: (socket) =>
      void socket.write(Buffer.concat([Buffer.from(upgrade()), frame(1, '{"op":"hello"}')])),
  },
  {
    name: 'large frames behind a hello',
    count: 40,
    act(socket, who, token) {
      socket.write(upgrade(who));
      socket.write(frame(1, JSON.stringify({ op: 'hello', token })));
      socket.write(frameHead(1, 32 * MIB));
      flood(socket, FILLING, 31);
    },
  },
  {
    name: 'calls whose answers are not read',
    count: 20,
    reading: 'unread',
    act(socket, who, token) {
      socket.write(upgrade(who));
      socket.write(frame(1, JSON.stringify({ op: 'hello', token })));
      flood(socket, frame(1, '{"op":"list_tools"}'), 2000);
    },
  },
];

const HALF = Buffer.concat([frameHead(1, 1000), Buffer.alloc(500, 0x61)]);
const PINGS = Buffer.concat(Array.from({ length: 1000 }, () => frame(9, Buffer.alloc(120, 0x61))));

export const TRIES: readonly Try[] = [...HTTP_TRIES, ...WS_TRIES];
