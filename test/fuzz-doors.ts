import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { anyFrame, anyValue } from '../src/transport/exai/any-frame.fixture.ts';
import { createDraw, type Draw } from '../src/transport/ws/draw.fixture.ts';

export interface Fuzzed {
  /** What the daemon sent back. */
  readonly answers: number;
  /** Those that were neither a frame nor a JSON-RPC message. */
  readonly strange: readonly string[];
  /** How often it hung up. */
  readonly closed: number;
}

/** A connection to one of the daemon's doors. */
interface Line {
  send(message: string): void;
  /** Resolves when what was sent before is taken, or the line is gone. */
  flushed(): Promise<'open' | 'closed'>;
  close(): void;
}

type Dial = (onMessage: (text: string) => void) => Promise<Line>;

const BATCH = 100;
const OPENINGS = {
  exai: '{"op":"hello","token":""}',
  mcp: '{"jsonrpc":"2.0","id":"open","method":"ping"}',
} as const;

/** Sends so many messages made of anything, dialling again whenever the daemon hangs up. */
export async function fuzzDoor(
  dial: Dial,
  protocol: keyof typeof OPENINGS,
  messages: number,
  seed: number,
): Promise<Fuzzed> {
  const draw = createDraw(seed);
  const strange: string[] = [];
  let answers = 0;
  let closed = 0;
  const onMessage = (text: string) => {
    answers += 1;
    if (!isTyped(text) && strange.length < 10) strange.push(text.slice(0, 200));
  };
  let line = await dial(onMessage);
  line.send(OPENINGS[protocol]);
  for (let sent = 0; sent < messages; sent += BATCH) {
    for (let n = 0; n < BATCH; n++) {
      line.send(protocol === 'exai' ? anyFrame(draw) : anyRpc(draw));
    }
    if ((await line.flushed()) === 'open') continue;
    closed += 1;
    line = await dial(onMessage);
    line.send(OPENINGS[protocol]);
  }
  line.close();
  return { answers, strange, closed };
}

const METHODS =
  'tools/call tools/list ping initialize server/discover notifications/cancelled resources/list exai/access/list x'.split(
    ' ',
  );

function anyRpc(draw: Draw): string {
  const members = ['"jsonrpc":"2.0"'];
  if (draw(5) > 0) members.push(`"id":${draw(3) === 0 ? anyValue(draw, 2) : draw(1000)}`);
  if (draw(8) > 0) members.push(`"method":"${METHODS[draw(METHODS.length)]}"`);
  if (draw(3) > 0) {
    const name = draw(2) === 0 ? '"version"' : anyValue(draw, 2);
    members.push(
      `"params":{"name":${name},"arguments":${anyValue(draw, 3)},"_meta":${anyValue(draw, 2)}}`,
    );
  }
  const text = `{${members.join(',')}}`;
  return draw(10) === 0 ? text.slice(0, draw(text.length)) || '{' : text;
}

function isTyped(text: string): boolean {
  try {
    const message = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof message['op'] === 'string') return true;
    return (
      message['jsonrpc'] === '2.0' &&
      ('result' in message || 'error' in message || 'method' in message)
    );
  } catch {
    return false;
  }
}

export function dialWs(url: string): Dial {
  return async (onMessage) => {
    const ws = new WebSocket(url.replace(/^http/, 'ws'));
    let isOpen = true;
    ws.on('message', (data: Buffer) => onMessage(data.toString()));
    ws.on('error', () => undefined);
    ws.on('close', () => (isOpen = false));
    await once(ws, 'open');
    return {
      send: (message) => isOpen && ws.send(message),
      flushed: () =>
        new Promise((resolve) => {
          if (!isOpen) return resolve('closed');
          const onClose = () => resolve('closed');
          ws.once('close', onClose);
          ws.once('pong', () => {
            ws.off('close', onClose);
            resolve('open');
          });
          ws.ping();
        }),
      close: () => ws.terminate(),
    };
  };
}

export function dialUnix(path: string): Dial {
  return async (onMessage) => {
    const socket = connect(path);
    let rest = '';
    let marks: (() => void)[] = [];
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') continue;
        if (line.includes('"id":"mark"')) marks.shift()?.();
        else onMessage(line);
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const mark of marks) mark();
      marks = [];
    });
    await once(socket, 'connect');
    return {
      send: (message) => void socket.write(`${message.replaceAll('\n', ' ')}\n`),
      async flushed() {
        if (!socket.destroyed) {
          await new Promise<void>((resolve) => {
            marks.push(resolve);
            socket.write('{"jsonrpc":"2.0","id":"mark","method":"ping"}\n');
          });
        }
        return socket.destroyed ? 'closed' : 'open';
      },
      close: () => void socket.destroy(),
    };
  };
}
