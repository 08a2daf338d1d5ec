import { Agent, get, request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';

export interface SseLoad {
  /** Makes so many calls, so many of them at a time. Rejects when one of them fails. */
  run(calls: number, atOnce: number): Promise<void>;
}

interface RpcAnswer {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly message?: string };
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'load', version: '1' },
};

/** Calls over HTTP+SSE of 2024: requests as posts, and all answers on one stream. */
export async function openSseLoad(url: string, paramsOf: (id: number) => string): Promise<SseLoad> {
  const agent = new Agent({ keepAlive: true });
  const pending = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  let lastId = 0;
  const stream = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { accept: 'text/event-stream' } }, resolve).once('error', reject);
  });
  const address = await new Promise<URL>((resolve) => {
    let name = '';
    createInterface({ input: stream }).on('line', (line) => {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      if (!line.startsWith('data:')) return;
      const data = line.slice(5).trim();
      if (name === 'endpoint') resolve(new URL(data, url));
      else take(JSON.parse(data) as RpcAnswer);
    });
  });

  function take({ id = 0, result, error }: RpcAnswer): void {
    const waiting = pending.get(id);
    pending.delete(id);
    if (result && result.isError !== true) waiting?.resolve();
    else waiting?.reject(new Error(error?.message ?? 'the tool failed'));
  }

  function post(body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(address, { agent, method: 'POST', headers }, (response) => {
        response.resume().once('end', resolve);
      });
      sent.once('error', reject).end(body);
    });
  }

  async function send(method: string, params: string): Promise<void> {
    const id = ++lastId;
    const answered = new Promise<void>((resolve, reject) => pending.set(id, { resolve, reject }));
    await post(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    await answered;
  }

  await send('initialize', JSON.stringify(INITIALIZE));
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return {
    async run(calls, atOnce) {
      let left = calls;
      const work = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await send('tools/call', paramsOf(lastId + 1));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
  };
}
