import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { anyFrame, anyValue } from '#transport/exai/any-frame.fixture.ts';
import { createDraw, type Draw } from '#transport/ws/draw.fixture.ts';

export interface Fuzzed {
  /** What the daemon sent back. */
  readonly answers: number;
  /** Those that were neither a frame nor a JSON-RPC message. */
  readonly strange: readonly string[];
  /** How often it hung up. */
  readonly closed: number;
}

/** A connection to one of the daemon's transports. */
interface Line {
  send(message: string): void;
  close(): void;
}

type Dial = (onMessage: (text: string) => void, onClose: () => void) => Promise<Line>;

const BATCH = 100;
/**
 * A mark is answered in its turn: when its answer is there, so are those of what was sent before.
 */
const PROTOCOLS = {
  exai: {
    opening: '{"op":"hello","token":""}',
    mark: '{"op":"call_tool","request_id":"mark","name":"version"}',
    isMarked: (text: string) => /"op":"call_tool_res","request_id":"mark"/.test(text),
  },
  mcp: {
    opening: '{"jsonrpc":"2.0","id":"open","method":"ping"}',
    mark: '{"jsonrpc":"2.0","id":"mark","method":"ping"}',
    isMarked: (text: string) => text.includes('"id":"mark"'),
  },
} as const;

/** Sends so many messages made of anything, dialling again whenever the daemon hangs up. */
export async function fuzzTransport(
  dial: Dial,
  protocol: keyof typeof PROTOCOLS,
  messages: number,
  seed: number,
): Promise<Fuzzed> {
  const { opening, mark, isMarked } = PROTOCOLS[protocol];
  const draw = createDraw(seed);
  const strange: string[] = [];
  let answers = 0;
  let closed = 0;
  let line: Line | undefined;
  let goOn = () => {};
  const onMessage = (text: string) => {
    if (isMarked(text)) return goOn();
    answers += 1;
    if (!isTyped(text) && strange.length < 10) strange.push(text.slice(0, 200));
  };
  const onClose = () => {
    line = undefined;
    goOn();
  };
  const reach = async () => {
    const made = await dial(onMessage, onClose);
    made.send(opening);
    return made;
  };
  for (let sent = 0; sent < messages; sent += BATCH) {
    const current = (line ??= await reach());
    const marked = new Promise<void>((resolve) => (goOn = resolve));
    for (let n = 0; n < BATCH; n++) {
      current.send(protocol === 'exai' ? anyFrame(draw) : anyRpc(draw));
    }
    current.send(mark);
    await marked;
    if (line === undefined) closed += 1;
  }
  line?.close();
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
  return async (onMessage, onClose) => {
    const ws = new WebSocket(url.replace(/^http/, 'ws'));
    ws.on('message', (data: Buffer) => onMessage(data.toString()));
    ws.on('error', () => undefined);
    ws.on('close', onClose);
    await once(ws, 'open');
    return {
      send: (message) => ws.readyState === ws.OPEN && ws.send(message),
      close: () => ws.terminate(),
    };
  };
}

export function dialUnix(path: string): Dial {
  return async (onMessage, onClose) => {
    const socket = connect(path);
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') onMessage(line);
    });
    socket.on('error', () => undefined);
    socket.on('close', onClose);
    await once(socket, 'connect');
    return {
      send: (message) => void socket.write(`${message.replaceAll('\n', ' ')}\n`),
      close: () => void socket.destroy(),
    };
  };
}
