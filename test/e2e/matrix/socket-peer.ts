import { once } from 'node:events';
import { connect } from 'node:net';
import type { OpenWire } from './peer.ts';
import { createSocketWire } from './socket-wire.ts';

/** What a client of ours says first. */
export interface HelloOptions {
  readonly cwd: string;
  readonly token?: string;
  /** How much it takes in one answer. */
  readonly maxTokens?: number;
}

/** MCP in lines, as it is spoken to the socket of the daemon; behind a hello where one is given. */
export function overSocket(path: string, hello?: HelloOptions): OpenWire {
  return async (ear) => {
    const socket = connect(path);
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    const lines: string[] = [];
    let hear: (line: string) => void = (line) => void lines.push(line);
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const found = (rest + chunk).split('\n');
      rest = found.pop() ?? '';
      // An empty line says only that the daemon is there.
      for (const line of found) if (line !== '') hear(line);
    });
    if (hello) await greet(hello);
    return createSocketWire(ear, {
      onText(then) {
        hear = then;
        for (const line of lines.splice(0)) then(line);
      },
      write: (text) => void socket.write(`${text}\n`),
      async close() {
        socket.end();
        await closed;
      },
      vanish: async () => void socket.destroy(),
    });

    async function greet(said: HelloOptions): Promise<void> {
      const first = new Promise<string>((resolve, reject) => {
        hear = resolve;
        void closed.then(() => reject(new Error('The daemon closed the connection.')));
      });
      const about = { kind: 'cli', version: '0.1.0', settings: {} };
      socket.write(`${JSON.stringify({ exai: 'hello', ...about, ...said })}\n`);
      const line = await first;
      hear = (each) => void lines.push(each);
      if (!line.startsWith('{"exai":"welcome"')) throw new Error(line);
    }
  };
}
