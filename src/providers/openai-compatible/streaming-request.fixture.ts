import { collectChat } from '../../../test/collect-chat.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Http, HttpRequest, HttpResponse } from '#core/net/http.ts';
import { fix } from '#core/messages/fixes.ts';
import type { VendorRequestRecord } from '#core/llm/provider.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { ChatPlan } from './chat-plan.ts';
import { createOpenAiClient } from './openai-client.ts';
import type { OpenAiClientOptions } from './client-options.ts';

export const KEY = 'sk-0123456789abcdef';

/** What a scripted server does with a request. */
export type Script = (request: HttpRequest, number: number) => Answer | Promise<Answer>;

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly (string | Uint8Array)[];
  /** Thrown after the pieces. */
  readonly breaks?: Error;
  /** Never ends after the pieces, until the signal aborts. */
  readonly hangs?: true;
}

export function sse(...chunks: readonly unknown[]): string[] {
  return chunks.map(
    (chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`,
  );
}

export function delta(content: object, finish: string | null = null): object {
  return { id: 'c1', model: 'm', choices: [{ index: 0, delta: content, finish_reason: finish }] };
}

/** A client of a scripted server. */
export function clientTo(script: Script, more: Partial<OpenAiClientOptions> = {}) {
  const clock = createFakeClock();
  const requests: HttpRequest[] = [];
  const exchanges: VendorRequestRecord[] = [];
  const open = { bodies: 0 };
  const http: Http = {
    async send(request) {
      requests.push(request);
      return answer(await script(request, requests.length), request, open);
    },
    close: () => Promise.resolve(),
  };
  const client = createOpenAiClient({
    provider: 'kimi',
    title: 'Kimi',
    baseUrl: 'https://kimi.test/v1/',
    key: createSecret(KEY),
    keyNeeded: { fixes: [fix('add_key', { provider: 'kimi' })] },
    http,
    clock,
    random: (bytes) => new Uint8Array(bytes),
    timeouts: { firstTokenMs: 30_000, idleMs: 10_000 },
    idHeaders: ['msh-request-id'],
    headers: {},
    marks: [],
    classify: () => undefined,
    ...more,
  });
  const controller = new AbortController();
  const context = {
    signal: controller.signal,
    deadline: deadlineIn(clock, 90_000),
    onVendorRequest: (exchange: VendorRequestRecord) => void exchanges.push(exchange),
  };
  const plan: ChatPlan = {
    model: 'kimi-k3',
    delivery: 'stream',
    tools: [],
    first: { body: { messages: [] } },
  };
  return {
    client,
    clock,
    controller,
    context,
    requests,
    exchanges,
    open,
    events: (change: Partial<ChatPlan> = {}): AsyncIterable<ChatEvent> =>
      client.chat({ ...plan, ...change }, context),
    ask: (change: Partial<ChatPlan> = {}) =>
      collectChat(client.chat({ ...plan, ...change }, context)),
  };
}

function answer(
  { status = 200, headers = {}, pieces = [], breaks, hangs }: Answer,
  { signal }: HttpRequest,
  open: { bodies: number },
): HttpResponse {
  signal.throwIfAborted();
  const aborted = () =>
    new Promise<never>((_, reject) => {
      const fail = () => reject(signal.reason as Error);
      if (signal.aborted) fail();
      else signal.addEventListener('abort', fail, { once: true });
    });
  async function* body() {
    open.bodies += 1;
    try {
      for (const piece of pieces) {
        signal.throwIfAborted();
        yield typeof piece === 'string' ? Buffer.from(piece) : piece;
      }
      if (breaks) throw breaks;
      if (hangs) await aborted();
    } finally {
      open.bodies -= 1;
    }
  }
  return {
    status,
    headers: { 'content-type': 'text/event-stream', ...headers },
    body: body(),
    async text() {
      if (hangs) await aborted();
      if (breaks) throw breaks;
      return pieces.map((piece) => Buffer.from(piece as string).toString()).join('');
    },
  };
}
