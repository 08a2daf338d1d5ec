import { VERSION_PARAMS, type CallParams } from './load.ts';
import { openHttpSocket, type HttpSocket } from './http-socket.ts';
import { checkResult, openSession, post, postHead, type HttpTarget } from './http-session.ts';

export interface HttpLoad {
  /**
   * Opens so many connections. What that costs the server is no call's cost, and idle ones it may
   * have closed.
   */
  connect(connections: number): Promise<void>;
  /** Makes so many calls, one at a time on each connection. Rejects when one of them fails. */
  run(calls: number): Promise<void>;
  close(): void;
}

const NEW_ERA = '2026-07-28';
const META = `"_meta":{"io.modelcontextprotocol/protocolVersion":"${NEW_ERA}","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"}},`;
const NEW_LINES = [
  `Mcp-Protocol-Version: ${NEW_ERA}`,
  'Mcp-Method: tools/call',
  'Mcp-Name: version',
];

/** Of the era with sessions, in one that is opened now. */
export async function openSessionLoad(target: HttpTarget, params?: CallParams): Promise<HttpLoad> {
  const socket = await openHttpSocket(target.port);
  const session = await openSession(target, socket);
  socket.close();
  return loadSessions(target, [session], params);
}

/** In each of these sessions in its turn. */
export function loadSessions(
  target: HttpTarget,
  sessions: readonly (readonly string[])[],
  params: CallParams = VERSION_PARAMS,
): HttpLoad {
  return createLoad(
    target.port,
    sessions.map((lines) => postHead(target, lines)),
    '',
    params,
  );
}

/** Of the era without sessions, where every request says what it needs. */
export function openModernLoad(target: HttpTarget): HttpLoad {
  return createLoad(target.port, [postHead(target, NEW_LINES)], META, VERSION_PARAMS);
}

function createLoad(
  port: number,
  heads: readonly string[],
  meta: string,
  callParams: CallParams,
): HttpLoad {
  let sockets: HttpSocket[] = [];
  let id = 0;
  const close = () => {
    for (const socket of sockets) socket.close();
    sockets = [];
  };
  const nextCall = () => {
    id += 1;
    const params = `{${meta}${callParams(id).slice(1)}`;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
    return post(heads[id % heads.length] ?? '', body);
  };
  return {
    async connect(connections) {
      close();
      while (sockets.length < connections) sockets.push(await openHttpSocket(port));
    },
    async run(calls) {
      let left = calls;
      const work = async (socket: HttpSocket) => {
        while (left > 0) {
          left -= 1;
          checkResult(await socket.exchange(nextCall()));
        }
      };
      await Promise.all(sockets.map(work));
    },
    close,
  };
}
