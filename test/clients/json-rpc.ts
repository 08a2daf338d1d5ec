import type { ChildProcess } from 'node:child_process';
import type { Proof } from './client.ts';
import { expectAnswer, expectListed, PROVEN_CALLS } from './tools.ts';

const TIMEOUT_MS = 90_000;

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'exai-client-matrix', version: '1' },
};

export type Result = Readonly<Record<string, unknown>>;

interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/** One end of a JSON-RPC conversation; each request is answered in time or fails. */
export interface Peer {
  request(method: string, params?: object, timeoutMs?: number): Promise<Result>;
  notify(method: string, params?: object): void;
  /** What came from the other side. */
  receive(text: string): void;
}

/** With `jsonrpc` in each message, or without, as Codex's own protocol has it. */
export function createPeer(send: (text: string) => void, version: '2.0' | 'unsaid' = '2.0'): Peer {
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  const say = (message: object) =>
    send(JSON.stringify({ ...(version === '2.0' && { jsonrpc: '2.0' }), ...message }));
  const request = (method: string, params?: object, timeoutMs = TIMEOUT_MS) =>
    new Promise<Result>((resolve, reject) => {
      const id = ++lastId;
      const late = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`${method} was not answered within ${timeoutMs / 1_000} s`));
      }, timeoutMs);
      waiting.set(id, ({ error, result }) => {
        clearTimeout(late);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      say({ id, method, ...(params && { params }) });
    });
  return {
    request,
    notify: (method, params) => say({ method, ...(params && { params }) }),
    receive(text) {
      const answer = JSON.parse(text) as Answer;
      if (typeof answer.id !== 'number' || answer.method !== undefined) return;
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    },
  };
}

/** A peer on the standard input and output of a program, a message a line. */
export function peerOf(child: ChildProcess, version?: '2.0' | 'unsaid'): Peer {
  const peer = createPeer((text) => child.stdin?.write(`${text}\n`), version);
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    // Some bridges write their own remarks between the messages.
    for (const line of lines) if (line.startsWith('{')) peer.receive(line);
  });
  return peer;
}

/** What a plain client says, from `initialize` to the calls. */
export async function converse(peer: Pick<Peer, 'request' | 'notify'>): Promise<Proof> {
  await peer.request('initialize', INITIALIZE);
  peer.notify('notifications/initialized');
  return listAndCall((method, params) => peer.request(method, params));
}

/** What a program that is greeted writes to its log until it ends by itself. */
export function logOfRefused(child: ChildProcess): Promise<string> {
  let log = '';
  child.stderr?.on('data', (chunk) => (log += String(chunk)));
  // It is refused, and is not answered.
  peerOf(child)
    .request('initialize', INITIALIZE)
    .catch(() => {});
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the program goes on')), TIMEOUT_MS);
    child.once('close', () => {
      clearTimeout(late);
      resolve(log);
    });
  });
}

/** Lists and calls by whatever sends a request. */
export async function listAndCall(
  request: (method: string, params?: object) => Promise<Result>,
): Promise<Proof> {
  const listed = expectListed(toolNames(await request('tools/list')));
  const called: string[] = [];
  for (const proven of PROVEN_CALLS) {
    const { name, arguments: args } = proven;
    const result = await request('tools/call', { name, arguments: args });
    called.push(expectAnswer(proven, JSON.stringify(result)));
  }
  return { listed, called };
}

export function toolNames(result: unknown): string[] {
  const { tools } = result as { tools?: readonly { name: string }[] };
  return (tools ?? []).map(({ name }) => name);
}
