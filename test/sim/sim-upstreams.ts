import type { Config } from '#config/schema/config.schema.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Capability, Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { createReplay } from '#net/recording/replay.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { costOf } from '#models/price.ts';
import { createExtractive } from '#providers/extractive/extractive.ts';
import { createVendorLimiter } from '#app/providers/providers.ts';
import { createVendorLimit } from '#app/providers/vendor-limit.ts';
import { createKeyPool } from '#providers/key-pool/key-pool.ts';
import { createModelDirectory } from '#app/providers/model-directory.ts';
import { createAvailability, providerStates } from '#app/providers/availability.ts';
import type { Upstreams } from '#app/providers/upstreams.ts';
import { askOf } from './answer-text.ts';
import { VENDORS, type AskingPlan, type Vendor } from './asking-plan.ts';
import { createSimAccount, type AccountPlan } from './sim-account.ts';
import type { VendorMode } from './vendor-modes.ts';
import type { SeededRandom } from './random.ts';
import { createSimProvider, type SimProviderOptions } from './sim-provider.ts';
import { createSimVendorFiles } from './sim-vendor-files.ts';
import type { UploadWatch } from './upload-watch.ts';
import type { Served, VendorBook } from './vendor-book.ts';

export interface SimUpstreamsOptions extends Pick<
  SimProviderOptions,
  | 'onAsked'
  | 'onAdmitted'
  | 'onCharged'
  | 'onFollowUp'
  | 'onWrongPause'
  | 'onOverrun'
  | 'queueMs'
  | 'countCall'
  | 'keepAlive'
  | 'learn'
> {
  readonly config: Config;
  readonly uploads: Pick<UploadWatch, 'begin' | 'onForgotten'>;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly book: VendorBook;
  readonly mode: (vendor: Vendor) => VendorMode;
  readonly accounts: AskingPlan['accounts'];
  /** Of the keys, those that are used. */
  readonly keys: (keys: readonly string[]) => readonly string[];
  readonly tell: (vendor: Vendor, what: string) => void;
  /** A bug between the daemon and a vendor. */
  readonly plant: ((provider: Provider) => Provider) | undefined;
  /** How many requests a vendor takes at once. */
  readonly capacity: (vendor: 'kimi' | 'glm') => number;
}

export const CATALOGUE = createCatalogue();

/** The window of one's own server is smaller than its settings say: it refuses what is longer. */
const OWN_WINDOW_TOKENS = 2000;
export const OWN_CONTEXT_TOKENS = 3000;
export const OWN_URL = 'http://127.0.0.1:11434/v1';

const ABILITIES: Readonly<Record<Vendor, readonly Capability[]>> = {
  kimi: ['web_search', 'prefix', 'upload', 'file_content', 'list_files', 'delete_file', 'ocr'],
  glm: ['web_search', 'ocr'],
  openrouter: ['web_search'],
  custom: [],
};

/** Simulated vendors, with everything that the daemon knows of them as it is. */
export function createSimUpstreams(options: SimUpstreamsOptions): Upstreams {
  const { config, clock, random, book } = options;
  const limits = {
    ...config.limits,
    kimi: options.capacity('kimi'),
    glm: options.capacity('glm'),
  };
  const limiter = createVendorLimiter(() => ({ limits, providers: config.providers }), clock);
  const vendorOf = (id: Vendor, key: number, account: AccountPlan | undefined) =>
    withFiles(id, key, {
      ...options,
      id,
      key,
      can: ABILITIES[id],
      random: random.fork(key === 0 ? id : `${id} ${key}`),
      ...(account && {
        account: createSimAccount(account.keys[key] ?? 'well', account, clock),
      }),
      mode: () => options.mode(id),
      tell: (what) => options.tell(id, what),
      ...(id === 'openrouter' && { bill: billOf }),
      ...(id === 'custom' && { windowTokens: OWN_WINDOW_TOKENS }),
      ...((id === 'kimi' || id === 'glm') && {
        gate: createVendorLimit(limiter, id, config.limits.retryAfterMs),
      }),
    });
  /** Those of Kimi and GLM take files, too. */
  function withFiles(id: Vendor, key: number, of: SimProviderOptions): Provider {
    const provider = createSimProvider(of);
    if (id !== 'kimi' && id !== 'glm') return provider;
    const { upload, fileContent, listFiles, deleteFile, ocr } = createSimVendorFiles({
      ...of,
      random: random.fork(`files of ${id} ${key}`),
      uploads: options.uploads,
    });
    const own = { upload, fileContent, listFiles, deleteFile };
    return { ...provider, ocr, ...(id === 'kimi' && own) };
  }
  const http = createReplay({
    folder: { list: async () => [], read: async () => '' },
    secrets: () => [],
  });
  const vendors = VENDORS.map((id) => {
    const account = id === 'kimi' || id === 'glm' ? options.accounts[id] : undefined;
    const [first = '0', ...others] = options.keys((account?.keys ?? ['']).map((_, at) => `${at}`));
    const create = (key: string) => vendorOf(id, Number(key), account);
    return createKeyPool({ clock, http, keys: [first, ...others], create });
  });
  const local = inBook(createExtractive({}, { clock }), book, options.onAsked);
  const { plant = (provider: Provider) => provider } = options;
  const all = [...vendors.map(plant), local];
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
    obstacleTo: createAvailability(providerStates(config, providers, customUrl), () => undefined),
    modelDirectory: createModelDirectory({ config, providers, held, clock, customUrl }),
    publicHttp: http,
    close: () => Promise.resolve(),
  };
}

/**
 * What the vendor itself would take, a little less; what the vendor gives away is not free there.
 */
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
      const { model, maxOutputTokens } = request;
      const about = { provider: provider.id, model, ask, kind: 'answer', maxOutputTokens } as const;
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
