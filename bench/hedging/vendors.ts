import { CallError } from '#core/errors/call-error.ts';
import type { ChatRequest, TokenUsage } from '#core/llm/chat.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import { willThink } from '#models/timeouts.ts';

/** Times of a model: the median to the first token, their spread, and the time of an output token. */
interface Pace {
  readonly firstMs: number;
  /** Of the logarithm: with 0.8 one in twenty takes 3.7 times the median, one in a hundred 6.4 times. */
  readonly spread: number;
  readonly tokenMs: number;
}

const PACES: Readonly<Record<string, Pace>> = {
  'glm-4.7-flash': { firstMs: 700, spread: 0.8, tokenMs: 10 },
  'glm-5.3': { firstMs: 1600, spread: 0.7, tokenMs: 16 },
  'kimi-k2.6': { firstMs: 1000, spread: 0.6, tokenMs: 18 },
  'kimi-k3': { firstMs: 3500, spread: 0.7, tokenMs: 14 },
};
const OTHER: Pace = { firstMs: 1500, spread: 0.8, tokenMs: 15 };
/** Reading a prompt takes time, too. */
const PROMPT_TOKEN_MS = 0.05;
const TOKENS_PER_EVENT = 25;
const CHARS_PER_TOKEN = 5;
/** A thinking model sends thoughts first, after about as long as others send words. */
const THINKING_FACTOR = 1.3;
const BUSY_FACTOR = 2.5;

/** `busy`: every time is longer. `silent`: a request is accepted, and nothing is sent. */
export type VendorState = 'well' | 'busy' | 'silent';

/** What all vendors together were asked, and what they would charge at most. */
export interface VendorBook {
  requests: number;
  microUsd: number;
}

export interface BenchVendorOptions {
  readonly id: ProviderId;
  readonly clock: Clock;
  /** Of its own for each model, so that two runs differ only where hedges make them differ. */
  readonly randomOf: (model: string) => () => number;
  readonly book: VendorBook;
  readonly state: () => VendorState;
  readonly modelOf: (id: string) => Model | undefined;
}

/** A vendor with times as real ones have them. A cancelled request is charged for its prompt and what was sent. */
export function createBenchVendor(options: BenchVendorOptions): Provider {
  const { id, clock, randomOf, book, state, modelOf } = options;

  return {
    id,
    title: id,
    capabilities: [],
    check: async () => 'ok',
    async *chat(request: ChatRequest, context: ProviderContext) {
      context.vendorCalls?.count();
      book.requests += 1;
      const { firstMs, spread, tokenMs } = PACES[request.model] ?? OTHER;
      const random = randomOf(request.model);
      const input = promptTokens(request);
      const output = Math.round(logNormal(random, 250, 0.9));
      const is = state();
      const factor = is === 'busy' ? BUSY_FACTOR : 1;
      const model = modelOf(request.model);
      const thinks = model !== undefined && willThink(model, request.thinking);
      const waitMs =
        (logNormal(random, firstMs * (thinks ? THINKING_FACTOR : 1), spread) +
          input * PROMPT_TOKEN_MS) *
        factor;
      const startedAt = clock.monotonic();
      let sent = 0;
      try {
        yield { type: 'start', model: request.model };
        if (is === 'silent') {
          await wait(clock, context.timeouts?.firstTokenMs ?? 60_000, context);
          throw silence(id, request.model);
        }
        if (request.delivery === 'whole') {
          const wholeMs = waitMs + output * tokenMs * factor;
          const mostMs = context.wholeMs ?? Infinity;
          await wait(clock, Math.min(wholeMs, mostMs), context);
          if (wholeMs > mostMs) throw silence(id, request.model);
          sent = output;
          yield { type: 'text', text: 'word '.repeat(output) };
        } else {
          const mostMs = context.timeouts?.firstTokenMs ?? Infinity;
          await wait(clock, Math.min(waitMs, mostMs), context);
          if (waitMs > mostMs) throw silence(id, request.model);
          while (sent < output) {
            const next = Math.min(TOKENS_PER_EVENT, output - sent);
            sent += next;
            yield { type: 'text', text: 'word '.repeat(next) };
            await wait(clock, next * tokenMs * factor, context);
          }
        }
        yield { type: 'usage', usage: usageOf(input, output) };
        yield { type: 'finish', reason: 'stop' };
      } finally {
        book.microUsd += costOf(model ?? {}, usageOf(input, sent)).microUsd;
        const elapsedMs = clock.monotonic() - startedAt;
        context.onVendorRequest?.({
          provider: id,
          operation: 'chat',
          model: request.model,
          elapsedMs,
          outcome: 'ok',
          vendorIds: {},
        });
      }
    },
  };
}

/** The prompts are short words. */
function promptTokens({ messages }: ChatRequest): number {
  return messages.reduce((sum, { content }) => sum + (content?.length ?? 0) / CHARS_PER_TOKEN, 0);
}

function usageOf(input: number, output: number): TokenUsage {
  return { input, output, cached: 0, reasoning: 0, estimated: false };
}

async function wait(clock: Clock, ms: number, { signal }: ProviderContext): Promise<void> {
  await sleepWhole(clock, ms, signal);
  signal.throwIfAborted();
}

function silence(provider: ProviderId, model: string): CallError {
  return new CallError('timeout', 'It sent nothing in time.', { provider, model });
}

/** Around this median, with a long tail. */
function logNormal(random: () => number, median: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal);
}
