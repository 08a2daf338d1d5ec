import type { Config } from '#config/config.schema.ts';
import type { TokenUsage } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import type { Ability, Provider, ProviderContext, ProviderId } from '#core/provider.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { costOf } from '#models/price.ts';
import { createLocal } from '#providers/local/local.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createGate } from '../../src/app/outside/gate.ts';
import { createModelDesk } from '../../src/app/outside/model-desk.ts';
import { createObstacles } from '../../src/app/outside/obstacle.ts';
import type { Outside } from '../../src/app/outside/outside.ts';
import { standings } from '../../src/app/outside/provider-standing.ts';
import { askOf } from './answer-text.ts';
import { VENDORS, type Vendor } from './asking-plan.ts';
import type { Mood } from './moods.ts';
import type { SeededRandom } from './random.ts';
import { createSimProvider, type SimProviderOptions } from './sim-provider.ts';
import type { Served, VendorBook } from './vendor-book.ts';

export interface SimOutsideOptions extends Pick<
  SimProviderOptions,
  'onAsked' | 'onAdmitted' | 'onCharged'
> {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly book: VendorBook;
  readonly mood: (vendor: Vendor) => Mood;
  readonly tell: (vendor: Vendor, what: string) => void;
  /** How many requests a vendor takes at once. */
  readonly capacity: (vendor: 'kimi' | 'glm') => number;
}

export const CATALOGUE = createCatalogue();

/** The window of one's own server is smaller than its settings say: it refuses what is longer. */
const OWN_WINDOW_TOKENS = 2000;
export const OWN_CONTEXT_TOKENS = 3000;
export const OWN_URL = 'http://127.0.0.1:11434/v1';

const ABILITIES: Readonly<Record<Vendor, readonly Ability[]>> = {
  kimi: ['web_search', 'prefix'],
  glm: ['web_search'],
  openrouter: ['web_search'],
  custom: [],
};

/** Simulated vendors, with everything that the daemon knows of them as it is. */
export function createSimOutside(options: SimOutsideOptions): Outside {
  const { config, clock, random, book } = options;
  const limiter = createLimiter({
    capacity: (pool) => options.capacity(pool === 'kimi' ? 'kimi' : 'glm'),
    maxWaiting: config.limits.queue,
  });
  const vendors = VENDORS.map((id) =>
    createSimProvider({
      ...options,
      id,
      can: ABILITIES[id],
      random: random.fork(id),
      mood: () => options.mood(id),
      tell: (what) => options.tell(id, what),
      ...(id === 'openrouter' && { bill: billOf }),
      ...(id === 'custom' && { windowTokens: OWN_WINDOW_TOKENS }),
      ...((id === 'kimi' || id === 'glm') && {
        gate: createGate(limiter, id, config.limits.retryAfterMs),
      }),
    }),
  );
  const local = inBook(createLocal({}, { clock }), book, options.onAsked);
  const all = [...vendors, local];
  const providers = new Map(all.map((provider): [ProviderId, Provider] => [provider.id, provider]));
  const customUrl = config.providers.custom.baseUrl;
  const held = {
    catalogue: () => CATALOGUE,
    refreshedAtMs: () => undefined,
    keep: () => Promise.resolve(),
  };
  return {
    providers,
    catalogue: () => CATALOGUE,
    obstacleTo: createObstacles(standings(config, providers, customUrl), () => undefined),
    desk: createModelDesk({ config, providers, held, clock, customUrl }),
    close: () => Promise.resolve(),
  };
}

/** What the vendor itself would take, a little less; what the vendor gives away is not free there. */
function billOf(model: string, usage: TokenUsage): number {
  const like = CATALOGUE.find(model.slice(model.indexOf('/') + 1)) ?? {};
  return Math.floor(costOf(like, usage).microUsd * 0.9) || usage.input + usage.output;
}

/** The real thing, with what it is asked written down. */
function inBook(
  provider: Provider,
  book: VendorBook,
  onAsked: (served: Served, context: ProviderContext) => void,
): Provider {
  return {
    ...provider,
    async *chat(request, context) {
      const ask = askOf(request.messages);
      const about = { provider: provider.id, model: request.model, ask, kind: 'answer' } as const;
      const served = book.begin(about);
      onAsked(served, context);
      try {
        for await (const event of provider.chat(request, context)) {
          if (event.type === 'text') served.hasSpoken = true;
          if (event.type === 'usage') served.usage = event.usage;
          yield event;
        }
        book.end(served, 'ok');
      } catch (thrown) {
        book.end(served, (thrown as { class?: Served['outcome'] }).class ?? 'internal');
        throw thrown;
      } finally {
        book.end(served, 'cancelled');
      }
    },
  };
}
