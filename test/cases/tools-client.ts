import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { Citation } from '#core/llm/chat.ts';
import { overHttp } from '../e2e/matrix/http-peer.ts';
import { createPeer, type Answer, type Era, type OpenWire, type Peer } from '../e2e/matrix/peer.ts';
import { questionsOf, reply } from '../e2e/matrix/call-to-the-end.ts';
import { overShim } from '../e2e/matrix/shim-peer.ts';
import { overSocket } from '../e2e/matrix/socket-peer.ts';
import { overSse } from '../e2e/matrix/sse-peer.ts';
import { overWs } from '../e2e/matrix/ws-peer.ts';
import { envelopeOf } from '../read-envelope.ts';
import { watchCitations } from '../watch-citations.ts';
import type { ToolsHarness } from './tools-harness.ts';

/** Somebody who calls tools, by whichever transport. */
export interface ToolClient {
  /** A folder whose files it may name. */
  readonly folder: string;
  call(tool: string, args: object): Promise<Called>;
  /** The same, to be taken back. */
  begin(tool: string, args: object): Beginning;
  close(): Promise<void>;
}

export interface Beginning {
  /** What comes of it; of a call that was taken back, perhaps nothing. */
  readonly called: Promise<Called | undefined>;
  readonly cancel: () => Promise<void>;
}

export interface Called {
  readonly envelope: Envelope;
  readonly text: string;
  /** The content, where it is an object. */
  readonly content: Readonly<Record<string, unknown>>;
  /** The id to go on with; empty where there is none. */
  readonly id: string;
}

/**
 * `ws modern` is MCP of the newest revision over a WebSocket, and so on; `exai` are the frames of
 * the older daemon. Each transport once, and HTTP in both eras: there an era changes how a call is asked
 * back.
 */
export const TOOL_TRANSPORTS = [
  'http legacy',
  'http modern',
  'ws modern',
  'shim legacy',
  'socket legacy',
  'sse legacy',
  'exai',
] as const;
export type ToolTransport = (typeof TOOL_TRANSPORTS)[number];

export async function openClient(
  harness: ToolsHarness,
  transport: ToolTransport,
  token?: string,
): Promise<ToolClient> {
  if (transport === 'exai') return overExai(harness, token);
  const [way, era] = transport.split(' ') as [Way, Era];
  const peer = await createPeer(era, wireOf(harness, way, token), { capabilities: { roots: {} } });
  peer.answer('roots/list', () => ({ roots: [{ uri: pathToFileURL(harness.project).href }] }));
  // Who comes with a token of its own is not asked for roots.
  return overMcp(peer, token === undefined ? harness.project : harness.shared);
}

type Way = 'http' | 'ws' | 'shim' | 'socket' | 'sse';

function wireOf(harness: ToolsHarness, way: Way, token: string | undefined): OpenWire {
  const { url, home, ownerToken } = harness;
  switch (way) {
    case 'http':
      return overHttp(url(), token ?? ownerToken);
    case 'ws':
      return overWs(url(), token ?? ownerToken);
    case 'shim':
      return overShim(home, url(), token);
    case 'socket':
      return overSocket(join(home, 'daemon.sock'));
    case 'sse':
      return overSse(url(), token ?? ownerToken);
  }
}

function overMcp(peer: Peer, folder: string): ToolClient {
  const begin: ToolClient['begin'] = (tool, args) => {
    const params = { name: tool, arguments: args };
    let started = peer.start('tools/call', params);
    const finish = async () => {
      let answer = await started.answer;
      // A modern server gives its questions as the result, and wants the call made again with the
      // answers.
      while (Object.keys(questionsOf(answer)).length > 0) {
        started = peer.start('tools/call', { ...params, ...(await reply(peer, answer)) });
        answer = await started.answer;
      }
      return answer.result || answer.error ? readMcp(answer) : undefined;
    };
    return { called: finish(), cancel: () => peer.cancel(started.id) };
  };
  return {
    folder,
    begin,
    call: (tool, args) => answered(begin(tool, args)),
    close: () => peer.close(),
  };
}

function readMcp({ result, error }: Answer): Called {
  if (!result) throw new Error(`No result: ${JSON.stringify(error)}`);
  const [first] = result['content'] as readonly { readonly text?: string }[];
  return read(envelopeOf(result), first?.text ?? '');
}

function read(envelope: Envelope, text: string): Called {
  const { content, continuation } = envelope;
  const { citations } = (content ?? {}) as { readonly citations?: readonly Citation[] };
  // Citations of files have a place in the file, which file_chat checks, and no address.
  const ofWeb = (Array.isArray(citations) ? citations : []).filter((each) => 'url' in each);
  watchCitations({ text: '', citations: ofWeb });
  return {
    envelope,
    text,
    content: typeof content === 'object' && content !== null ? { ...content } : {},
    id: continuation?.id ?? '',
  };
}

async function answered({ called }: Beginning): Promise<Called> {
  const told = await called;
  if (!told) throw new Error('The call was not answered.');
  return told;
}

interface Frame {
  readonly op: string;
  readonly request_id?: string;
  readonly text?: string;
  readonly envelope?: Envelope;
}

async function overExai(
  { url, shared, ownerToken }: ToolsHarness,
  token = ownerToken,
): Promise<ToolClient> {
  const socket = new WebSocket(url().replace(/^http/, 'ws'));
  const closed = once(socket, 'close');
  const waiting = new Map<string, (told: Called) => void>();
  socket.on('message', (data: Buffer) => {
    const { op, request_id: id = '', text = '', envelope } = JSON.parse(data.toString()) as Frame;
    if (op !== 'call_tool_res' || !envelope) return;
    waiting.get(id)?.(read(envelope, text));
    waiting.delete(id);
  });
  const say = (frame: object) => socket.send(JSON.stringify(frame));
  await once(socket, 'open');
  const greeted = once(socket, 'message');
  say({ op: 'hello', session_id: 'tools', token });
  await greeted;
  let last = 0;
  const begin: ToolClient['begin'] = (tool, args) => {
    const id = `r${++last}`;
    const called = new Promise<Called>((resolve) => waiting.set(id, resolve));
    say({ op: 'call_tool', request_id: id, name: tool, arguments: args });
    return { called, cancel: async () => say({ op: 'cancel', request_id: id }) };
  };
  return {
    folder: shared,
    begin,
    call: (tool, args) => answered(begin(tool, args)),
    async close() {
      socket.close();
      await closed;
    },
  };
}
