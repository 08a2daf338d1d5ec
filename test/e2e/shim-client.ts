import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { start, type RunOptions } from './exai.ts';

export interface RpcAnswer {
  readonly id: number | string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client of `exai stdio`, or of another command that serves one, that speaks JSON-RPC by hand and keeps every line it hears. */
export interface ShimClient {
  readonly child: ChildProcess;
  /** What came on stdout, line by line. */
  readonly lines: readonly string[];
  send(message: object): void;
  request(method: string, params?: object): Promise<RpcAnswer>;
  initialize(): Promise<RpcAnswer>;
  /** Ends its input and gives the exit code. */
  end(): Promise<number | null>;
}

export function startShim(
  root: string,
  options: RunOptions = {},
  args: readonly string[] = [],
): ShimClient {
  const command = args[0] === 'servers' ? args : ['stdio', ...args];
  const child = start(root, command, options);
  const lines: string[] = [];
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  let lastId = 0;
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      const message = JSON.parse(line) as RpcAnswer & { method?: string };
      if (message.method !== undefined || typeof message.id !== 'number') continue;
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const send = (message: object) =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object = {}) =>
    new Promise<RpcAnswer>((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  return {
    child,
    lines,
    send,
    request,
    async initialize() {
      const answer = await request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'shim-client', version: '1' },
      });
      send({ method: 'notifications/initialized' });
      return answer;
    },
    async end() {
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.stdin?.end();
      return (await exited)[0];
    },
  };
}
