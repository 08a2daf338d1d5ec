import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Emulator } from '../../../emulator/start.ts';
import { envelopeOf } from '../../read-envelope.ts';
import { pause } from './world.ts';

const KINDS = ['gateway json', 'gateway stream', 'mcp chat', 'mcp job'] as const;
type LoadKind = (typeof KINDS)[number];

/** How a request ended. */
export interface LoadEnd {
  readonly kind: LoadKind;
  /** `acknowledged`: with the whole answer, or with the id of its job. */
  readonly is: 'acknowledged' | 'wrong' | 'failed';
  /** The error class, or how the transport broke. */
  readonly class: string;
  readonly reqId: string | undefined;
  readonly jobId: string | undefined;
  /** The conversation that the answer may be continued in. */
  readonly conversationId?: string;
  readonly ms: number;
  /** What came instead of the answer, if it is wrong. */
  readonly said?: string;
  /** The refused request was not sent to a model, or its answer is in the error. */
  readonly answer: 'given' | 'none';
}

const PAUSE_AFTER_FAILURE_MS = 200;

/** Clients that ask without a break, each in one of the ways in turn, until told to stop. */
export function startLoad(url: () => string, clients: number) {
  const ends: LoadEnd[] = [];
  let isOver = false;
  let number = 0;

  async function run(offset: number): Promise<void> {
    for (let turn = offset; !isOver; turn += 1) {
      const kind = KINDS[turn % KINDS.length] ?? 'gateway json';
      number += 1;
      const text = `Load ${number}: the lamp is lit at dusk.`;
      const from = performance.now();
      const end = await request(url(), kind, text);
      ends.push({ kind, ...end, ms: performance.now() - from });
      if (end.is === 'failed') await pause(PAUSE_AFTER_FAILURE_MS);
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, offset) => run(offset)));
  return {
    ends,
    async stop(): Promise<readonly LoadEnd[]> {
      isOver = true;
      await running;
      return ends;
    },
  };
}

type RequestEnd = Omit<LoadEnd, 'kind' | 'ms'>;

function failed(
  errorClass: string,
  reqId?: string,
  answer: LoadEnd['answer'] = 'none',
): RequestEnd {
  return { is: 'failed', class: errorClass, reqId, jobId: undefined, answer };
}

export async function request(url: string, kind: LoadKind, text: string): Promise<RequestEnd> {
  try {
    return kind === 'gateway json' || kind === 'gateway stream'
      ? await throughGateway(url, text, kind)
      : await throughMcp(url, text, kind);
  } catch (thrown) {
    return failed(thrown instanceof Error ? `transport ${thrown.name}` : 'transport');
  }
}

interface GatewayBody {
  readonly choices?: readonly { readonly message?: { readonly content?: string } }[];
  readonly error?: { readonly type?: string; readonly code?: string };
  readonly exai?: { readonly class?: string; readonly answer?: unknown };
}

async function throughGateway(url: string, text: string, kind: LoadKind): Promise<RequestEnd> {
  const messages = [{ role: 'user', content: `Say exactly: ${text}` }];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'auto', messages, stream: kind === 'gateway stream' }),
  });
  const body = await response.text();
  const reqId = response.headers.get('x-request-id') ?? undefined;
  if (!response.ok) {
    const { error, exai } = JSON.parse(body) as GatewayBody;
    const errorClass = exai?.class ?? error?.code ?? error?.type ?? '';
    return failed(`${response.status} ${errorClass}`, reqId, exai?.answer ? 'given' : 'none');
  }
  if (kind === 'gateway json') {
    const said = (JSON.parse(body) as GatewayBody).choices?.[0]?.message?.content;
    return ended(said === text, reqId, body);
  }
  if (!body.includes('data: [DONE]')) {
    // The whole text came before the event with the error.
    const errorClass = /"(?:code|class)":"(\w+)"/.exec(body)?.[1] ?? 'cut off';
    return failed(`stream ${errorClass}`, reqId, textOf(body) === text ? 'given' : 'none');
  }
  return ended(textOf(body) === text, reqId, body);
}

function textOf(stream: string): string {
  return stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
    .map((event) => {
      const { choices } = JSON.parse(event) as {
        readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
      };
      return choices?.[0]?.delta?.content ?? '';
    })
    .join('');
}

function ended(isRight: boolean, reqId: string | undefined, said: string): RequestEnd {
  const end = { class: '', reqId, jobId: undefined, answer: 'given' } as const;
  return isRight ? { is: 'acknowledged', ...end } : { is: 'wrong', ...end, said };
}

async function throughMcp(url: string, text: string, kind: LoadKind): Promise<RequestEnd> {
  const client = new Client({ name: 'load', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  try {
    const result = await client.callTool(
      {
        name: 'chat',
        arguments: { prompt: `Say exactly: ${text}` },
        ...(kind === 'mcp job' && { _meta: { 'exai/background': true } }),
      },
      { timeout: 120_000 },
    );
    const envelope = envelopeOf(result);
    const { status, error_class: errorClass = '', req_id: reqId, job, continuation } = envelope;
    if (job !== undefined) return { ...ended(true, reqId, ''), jobId: job.id };
    const [block] = result.content;
    const said = block?.type === 'text' ? block.text : '';
    // A notice may follow, as that the conversation could not be stored.
    if (status === 'success')
      return {
        ...ended(said.startsWith(text), reqId, JSON.stringify(result)),
        ...(continuation && { conversationId: continuation.id }),
      };
    return failed(errorClass, reqId, said.includes(text) ? 'given' : 'none');
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** Counts how requests ended, by class. */
export function failuresOf(ends: readonly LoadEnd[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const end of ends) {
    if (end.is === 'failed') counts[end.class] = (counts[end.class] ?? 0) + 1;
  }
  return counts;
}

/** The chats that vendors answered whole; read while there are not too many, as the emulator keeps the newest alone. */
export function watchVendors(emulator: Emulator) {
  const whole = new Map<number, boolean>();
  const look = () => {
    for (const { number, path, status, left } of emulator.requests())
      if (path.includes('chat')) whole.set(number, status === 200 && !left);
  };
  const timer = setInterval(look, 250);
  return {
    /** How many chats were answered whole so far. */
    whole(): number {
      look();
      return [...whole.values()].filter(Boolean).length;
    },
    stop(): { readonly asked: number; readonly whole: number } {
      clearInterval(timer);
      look();
      return { asked: whole.size, whole: [...whole.values()].filter(Boolean).length };
    },
  };
}
