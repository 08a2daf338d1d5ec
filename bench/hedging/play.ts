import { openManager } from '#app/manager/open-manager.ts';
import { createAvailability, providerStates } from '#app/providers/availability.ts';
import { createModelDirectory } from '#app/providers/model-directory.ts';
import { SILENT_LOG } from '#app/providers/silent-log.ts';
import { Config } from '#config/schema/config.schema.ts';
import type { AskContext, AskRequest, Manager } from '#core/llm/ask.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Store } from '#core/stores/store.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { HedgeMode } from '#manager/run/hedging.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createExtractive } from '#providers/extractive/extractive.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createBenchVendor, type VendorBook, type VendorState } from './vendors.ts';

export const VENDORS = ['kimi', 'glm', 'openrouter'] as const;
export type BenchVendor = (typeof VENDORS)[number];

const CATALOGUE = createCatalogue();
const MINUTE_MS = 60_000;
const TICK_MS = 50;
const DEADLINE_MS = 300_000;
const WARM_UP_ASKS = 300;

/** What clients ask for; a share of all asks. */
const TRAFFIC: readonly {
  readonly share: number;
  readonly tool: string;
  readonly category: AskContext['category'];
  readonly request: Omit<AskRequest, 'messages'>;
  readonly promptTokens: number;
}[] = [
  {
    share: 0.3,
    tool: 'chat',
    category: 'fast_response',
    request: { delivery: 'stream' },
    promptTokens: 60,
  },
  {
    share: 0.2,
    tool: 'gateway_chat',
    category: 'balanced',
    request: { delivery: 'whole' },
    promptTokens: 1500,
  },
  {
    share: 0.2,
    tool: 'gateway_chat',
    category: 'balanced',
    request: { delivery: 'stream' },
    promptTokens: 12_000,
  },
  {
    share: 0.1,
    tool: 'thinkdeep',
    category: 'extended_reasoning',
    request: { delivery: 'stream' },
    promptTokens: 4000,
  },
  {
    share: 0.1,
    tool: 'gateway_chat',
    category: 'balanced',
    request: { delivery: 'stream', model: 'glm-5.3' },
    promptTokens: 800,
  },
  {
    share: 0.1,
    tool: 'gateway_chat',
    category: 'balanced',
    request: { delivery: 'whole', model: 'kimi-k2.6' },
    promptTokens: 800,
  },
];

/** How the vendors are at a time. */
export type Weather = (vendor: BenchVendor, ms: number) => VendorState;

export interface PlayOptions {
  readonly hedge: HedgeMode;
  readonly minutes: number;
  readonly asksPerSecond: number;
  readonly weather: Weather;
  readonly seed: number;
}

export interface FirstWord {
  /** Since the begin. */
  readonly askedAtMs: number;
  readonly ms: number;
}

export interface Played {
  readonly asks: number;
  readonly answered: number;
  readonly vendorRequests: number;
  readonly hedges: number;
  readonly microUsd: number;
  /** Of each ask that was answered. */
  readonly firstWords: readonly FirstWord[];
}

/** Clients that ask the manager as the daemon has it, in virtual time. */
export async function play(options: PlayOptions): Promise<Played> {
  const clock = createFakeClock();
  const random = mulberry(options.seed);
  const randomOf = memoise((name) => mulberry(options.seed + hashOf(name)));
  const book: VendorBook = { requests: 0, microUsd: 0 };
  const vendors = VENDORS.map((id) =>
    createBenchVendor({
      id,
      clock,
      randomOf: (model) => randomOf(`${id}/${model}`),
      book,
      state: () => options.weather(id, clock.monotonic() - zeroMs),
      modelOf: (model) => CATALOGUE.find(model, id),
    }),
  );
  const managing = await openBenchManager(clock, vendors, options.hedge);
  const endMs = options.minutes * MINUTE_MS;
  const firstWords: FirstWord[] = [];
  let asks = 0;
  let answered = 0;
  let hedges = 0;
  let running = 0;
  let zeroMs = 0;

  async function ask(isMeasured: boolean): Promise<void> {
    const { tool, category, request, promptTokens } = drawTraffic(random);
    const startedAt = clock.monotonic();
    let firstMs: number | undefined;
    let attempts = 0;
    running += 1;
    const said = () => (firstMs ??= clock.monotonic() - startedAt);
    try {
      const { report } = await managing.manager.ask(
        { ...request, lastResort: 'none', messages: messagesOf(promptTokens) },
        {
          reqId: `req_${asks}`,
          tool,
          category,
          caller: { principal: 'local', scopes: ['*'], roots: [] },
          deadline: deadlineIn(clock, DEADLINE_MS),
          signal: NEVER,
          nextAttempt: () => (attempts += 1),
        },
        { onText: said, onReasoning: said },
      );
      if (!isMeasured) return;
      answered += 1;
      const ms = firstMs ?? clock.monotonic() - startedAt;
      firstWords.push({ askedAtMs: startedAt - zeroMs, ms });
      hedges += report.attempts.filter(({ hedge }) => hedge === true).length;
    } catch {
      // Counted as not answered.
    } finally {
      running -= 1;
    }
  }

  // The usual times are known after a while, as in a daemon that runs.
  for (let n = 0; n < WARM_UP_ASKS; n += 1) void ask(false);
  await until(() => running === 0, clock);
  Object.assign(book, { requests: 0, microUsd: 0 });
  zeroMs = clock.monotonic();
  let nextMs = zeroMs;
  await until(() => {
    const now = clock.monotonic();
    for (; nextMs <= now && nextMs - zeroMs < endMs; nextMs += gapMs(random, options)) {
      asks += 1;
      void ask(true);
    }
    return nextMs - zeroMs >= endMs && running === 0;
  }, clock);
  await managing.close();
  return {
    asks,
    answered,
    vendorRequests: book.requests,
    hedges,
    microUsd: book.microUsd,
    firstWords,
  };
}

export async function openBenchManager(
  clock: Clock,
  vendors: readonly Provider[],
  hedge: HedgeMode,
): Promise<{ readonly manager: Manager; close(): Promise<void> }> {
  const config = Config.parse({
    providers: {
      kimi: { apiKey: 'sk-bench-0123456789' },
      glm: { apiKey: 'bench0123456789.secret' },
      openrouter: { apiKey: 'sk-or-bench-0123456789' },
    },
    fallback: { hedge },
    // A classification is a request of its own.
    routing: { classify: false },
  });
  const all = [...vendors, createExtractive({}, { clock })];
  const providers = new Map(all.map((provider): [ProviderId, Provider] => [provider.id, provider]));
  const held = {
    catalogue: () => CATALOGUE,
    refreshedAtMs: () => undefined,
    keep: () => Promise.resolve(),
  };
  return openManager({
    config,
    clock,
    random: (bytes) => new Uint8Array(bytes).fill(128),
    upstreams: {
      providers,
      catalogue: () => CATALOGUE,
      obstacleTo: createAvailability(providerStates(config, providers, ''), () => undefined),
      modelDirectory: createModelDirectory({ config, providers, held, clock, customUrl: '' }),
      publicHttp: undefined as never,
      close: () => Promise.resolve(),
    },
    store: NOWHERE,
    telemetry: { log: SILENT_LOG, crumbs: SILENT_LOG, metrics: createMetrics() },
  });
}

/** A store that keeps nothing. */
const NOWHERE = {
  breakers: { save: async () => undefined, all: async () => [] },
  calls: { spend: async () => undefined, recordUsage: async () => undefined },
  usage: { totals: async () => [] },
  settings: { get: async () => undefined, set: async () => undefined },
  clients: {},
  files: {},
} as unknown as Store;

const NEVER = new LightAbortController();
const PROMPTS = new Map<number, AskRequest['messages']>();

/** The same object for each size, so that its tokens are counted once. */
function messagesOf(tokens: number): AskRequest['messages'] {
  let messages = PROMPTS.get(tokens);
  if (!messages) PROMPTS.set(tokens, (messages = [{ role: 'user', content: textOf(tokens) }]));
  return messages;
}

function textOf(tokens: number): string {
  return `Why does the tide turn? ${'then '.repeat(Math.max(0, tokens - 6))}`;
}

function drawTraffic(random: () => number) {
  let left = random();
  for (const kind of TRAFFIC) if ((left -= kind.share) <= 0) return kind;
  return TRAFFIC[0] as (typeof TRAFFIC)[number];
}

/** Clients do not wait for each other. */
function gapMs(random: () => number, { asksPerSecond }: PlayOptions): number {
  return (-Math.log(1 - random()) * 1000) / asksPerSecond;
}

async function until(isOver: () => boolean, clock: ReturnType<typeof createFakeClock>) {
  while (!isOver()) {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(TICK_MS);
  }
}

function memoise<T>(create: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const found = made.get(name) ?? create(name);
    made.set(name, found);
    return found;
  };
}

function hashOf(name: string): number {
  let hash = 7;
  for (let at = 0; at < name.length; at += 1) hash = (hash * 31 + name.charCodeAt(at)) | 0;
  return hash;
}

/** A small seeded random number generator. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
