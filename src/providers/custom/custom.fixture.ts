import { collectChat } from '../../../test/collect-chat.ts';
import type { ChatMessage, ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Http, HttpRequest, HttpResponse } from '#core/net/http.ts';
import type { VendorRequestRecord, Provider, ProviderContext } from '#core/llm/provider.ts';
import { createHttp } from '#net/create-http.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { ProviderDeps } from '../provider-deps.ts';

const NO_PROXY = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };

/** The dependencies of a provider, over real sockets. */
export function realDeps(clock: Clock, allowPrivate: readonly string[] = []): ProviderDeps {
  return {
    http: createHttp({ network: NO_PROXY, guard: 'configured', clock }),
    publicHttp: createHttp({ network: { ...NO_PROXY, allowPrivate }, guard: 'public', clock }),
    clock,
    random: (bytes) => new Uint8Array(bytes),
    catalogue: () => createCatalogue(),
    timeouts: { firstTokenMs: 5_000, idleMs: 5_000 },
  };
}

export interface Asking {
  readonly provider: Provider;
  readonly context: ProviderContext;
  readonly controller: AbortController;
  readonly exchanges: VendorRequestRecord[];
  readonly ask: (change: Partial<ChatRequest> | string) => ReturnType<typeof collectChat>;
}

export const user = (content: string): ChatMessage => ({ role: 'user', content });

export function asking(provider: Provider, clock: Clock, model = ''): Asking {
  const controller = new AbortController();
  const exchanges: VendorRequestRecord[] = [];
  const context: ProviderContext = {
    signal: controller.signal,
    deadline: deadlineIn(clock, 20_000),
    onVendorRequest: (exchange) => void exchanges.push(exchange),
  };
  return {
    provider,
    context,
    controller,
    exchanges,
    ask(change) {
      const wanted = typeof change === 'string' ? { messages: [user(change)] } : change;
      const request = { model, messages: [], delivery: 'stream', ...wanted } as const;
      return collectChat(provider.chat(request, context));
    },
  };
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly type?: string;
}

/** A server that exists only as a function. */
export function scriptedHttp(
  script: (request: HttpRequest, body: Record<string, unknown>) => ScriptedAnswer,
): {
  readonly http: Http;
  readonly requests: HttpRequest[];
} {
  const requests: HttpRequest[] = [];
  return {
    requests,
    http: {
      send(request): Promise<HttpResponse> {
        requests.push(request);
        const body =
          typeof request.body === 'string'
            ? (JSON.parse(request.body) as Record<string, unknown>)
            : {};
        const {
          status = 200,
          json,
          text = JSON.stringify(json),
          type = 'application/json',
        } = script(request, body);
        return Promise.resolve({
          status,
          headers: { 'content-type': type },
          body: (async function* () {
            yield Buffer.from(text);
          })(),
          text: () => Promise.resolve(text),
        });
      },
      close: () => Promise.resolve(),
    },
  };
}

export const completion = (message: object, finish = 'stop'): ScriptedAnswer => ({
  json: { id: 'c', model: 'm', choices: [{ message, finish_reason: finish }] },
});

export const WEATHER: ChatTool = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
export const CLOCK_TOOL: ChatTool = {
  name: 'get_time',
  description: 'Tells the time.',
  parameters: { type: 'object', properties: {} },
};
/** One dot. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
