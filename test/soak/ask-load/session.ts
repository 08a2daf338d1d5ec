import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { envelopeOf } from '../../read-envelope.ts';

export interface Envelope {
  readonly status: string;
  readonly error_class?: string;
  readonly detail?: string;
  readonly req_id: string;
  readonly provider?: string;
  readonly model?: string;
  readonly content: unknown;
  readonly route?: { readonly attempts: readonly { readonly outcome: string }[] };
}

/** What came back of one call. */
export interface Reply {
  readonly envelope: Envelope;
  /** The text as it was told piece by piece. */
  readonly told: string;
}

interface Message {
  readonly id?: number;
  readonly params?: {
    readonly progressToken?: number;
    readonly _meta?: { readonly 'exai/text'?: string };
  };
  readonly result?: object;
  readonly error?: { readonly message: string };
}

/** A client of MCP over a WebSocket. */
export interface Session {
  /** Rejects when what came back is no result of a tool. */
  chat(args: object): Promise<Reply>;
}

const OPENING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'load', version: '0' },
};

export async function openSession(url: string): Promise<Session> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'mcp');
  onTestFinished(() => socket.terminate());
  const waiting = new Map<number, (message: Message) => void>();
  const told = new Map<number, string[]>();
  let lastId = 0;

  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    const { id, params } = message;
    const piece = params?._meta?.['exai/text'];
    if (piece !== undefined) told.get(params?.progressToken ?? 0)?.push(piece);
    if (id !== undefined) waiting.get(id)?.(message);
  });
  socket.on('close', () => {
    const error = { message: 'the daemon hung up' };
    for (const answer of waiting.values()) answer({ error });
  });

  function request(id: number, method: string, params: object): Promise<Message> {
    return new Promise((resolve) => {
      waiting.set(id, (message) => {
        waiting.delete(id);
        resolve(message);
      });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  await once(socket, 'open');
  await request((lastId += 1), 'initialize', OPENING);
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  return {
    async chat(args) {
      const id = (lastId += 1);
      const pieces: string[] = [];
      told.set(id, pieces);
      const _meta = { progressToken: id, 'exai/stream': true };
      const { result, error } = await request(id, 'tools/call', {
        name: 'chat',
        arguments: args,
        _meta,
      });
      told.delete(id);
      if (!result) throw new Error(`no result of a tool: ${error?.message ?? 'without a word'}`);
      return { envelope: envelopeOf(result) as Envelope, told: pieces.join('') };
    },
  };
}
