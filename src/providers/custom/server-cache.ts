import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ProviderContext, ProviderModel } from '#core/llm/provider.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn, signalAt } from '#core/time/deadline.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';
import {
  objectsOf,
  PROBES,
  readServer,
  type ProbeAnswers,
  type ProbeName,
  type Server,
} from './probes.ts';

/** The caller's signal and deadline. */
type Waiting = Pick<ProviderContext, 'signal' | 'deadline'>;

/** Cached facts about a server: its kind and its models. */
interface ServerCache {
  get(context: Waiting): Promise<Server>;
  /** The last result of a probe, however old; nothing before the first and after `forget`. */
  known(): Server | undefined;
  /** What Ollama reports about one model: context window and input types. */
  ollamaModel(model: string, context: Waiting): Promise<Partial<ProviderModel>>;
  /** The last result of `ollamaModel`. */
  knownOllamaModel(model: string): Partial<ProviderModel> | undefined;
  /** The next call probes again. */
  forget(): void;
}

const PROBE_MS = 1_500;
/**
 * A detected server is probed again after 5 minutes; one that did not answer may just be starting.
 */
const FOUND_MS = 5 * 60_000;
const UNKNOWN_MS = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 64;

export function createServerCache(
  client: OpenAiClient,
  at: ServerAddress,
  clock: Clock,
): ServerCache {
  const server = cacheValue<Server>(clock, (found) =>
    found.flavour === undefined ? UNKNOWN_MS : FOUND_MS,
  );
  const models = createBoundedMap<string, CachedValue<Partial<ProviderModel>>>({
    maxEntries: MAX_MODELS,
  });

  async function ask(
    url: string,
    signal: AbortSignalLike,
    body?: { readonly model: string },
  ): Promise<unknown> {
    const { json } = await client.call(
      {
        operation: 'models',
        method: body ? 'POST' : 'GET',
        path: url,
        maxBytes: MAX_BYTES,
        ...(body && { body }),
      },
      { signal, deadline: deadlineIn(clock, PROBE_MS) },
    );
    return json;
  }

  async function probe(signal: AbortSignalLike): Promise<Server> {
    let isLoading = false;
    const names = Object.keys(PROBES) as ProbeName[];
    const answers = await Promise.all(
      names.map((name) =>
        ask(name === 'models' ? `${at.baseUrl}/models` : `${at.root}${PROBES[name]}`, signal).catch(
          (thrown: unknown) => {
            // A missing path is a result as well.
            isLoading ||= name === 'props' && saysLoading(thrown);
            return undefined;
          },
        ),
      ),
    );
    const byName = Object.fromEntries(names.map((name, index) => [name, answers[index]]));
    return readServer({ ...byName, isLoading } as ProbeAnswers);
  }

  async function askOllama(
    model: string,
    signal: AbortSignalLike,
  ): Promise<Partial<ProviderModel>> {
    const [shown, running] = await Promise.all(
      // Older versions have neither endpoint.
      [ask(`${at.root}/api/show`, signal, { model }), ask(`${at.root}/api/ps`, signal)].map(
        (request) => request.catch(() => undefined),
      ),
    );
    return ollamaFacts(model, asObject(shown), asObject(running));
  }

  return {
    get: (context) => server.get(probe, context),
    known: () => server.last(),
    ollamaModel(model, context) {
      const known = models.get(model) ?? cacheValue(clock, () => UNKNOWN_MS * 12);
      models.set(model, known);
      return known.get((signal) => askOllama(model, signal), context);
    },
    knownOllamaModel: (model) => models.get(model)?.last(),
    forget() {
      server.forget();
      models.clear();
    },
  };
}

function saysLoading(thrown: unknown): boolean {
  const isOverloaded = thrown instanceof CallError && thrown.class === 'overloaded';
  return isOverloaded && /loading/i.test(thrown.vendorText ?? '');
}

/** The context window of a running model, else the one in the parameters of its file. */
function ollamaFacts(
  model: string,
  shown: Unknown | undefined,
  running: Unknown | undefined,
): Partial<ProviderModel> {
  const loaded = objectsOf(running?.['models']).find(
    ({ name }) => name === model || name === `${model}:latest`,
  );
  const window =
    asCount(loaded?.['context_length']) || setWindow(asText(shown?.['parameters']) ?? '');
  const can = asList(shown?.['capabilities']);
  return {
    ...(window && { contextTokens: window }),
    ...(can.length > 0 && {
      images: can.includes('vision'),
      tools: can.includes('tools'),
      thinking: can.includes('thinking'),
    }),
  };
}

const MAX_PARAMETER_CHARS = 64 * 1024;

/** `num_ctx`, on its own line. */
function setWindow(parameters: string): number | undefined {
  for (const line of parameters.slice(0, MAX_PARAMETER_CHARS).split('\n')) {
    const [name, value = ''] = line.trim().split(/\s+/, 2);
    if (name === 'num_ctx' && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return undefined;
}

type Ask<T> = (signal: AbortSignalLike) => Promise<T>;

interface CachedValue<T> {
  get(ask: Ask<T>, context: Waiting): Promise<T>;
  /** The last value, even when it has expired. */
  last(): T | undefined;
  forget(): void;
}

interface PendingRequest<T> {
  readonly work: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Caches a value and coalesces concurrent requests for it. The request is aborted when its last
 * caller has left.
 */
function cacheValue<T>(clock: Clock, lifeMs: (value: T) => number): CachedValue<T> {
  let pending: PendingRequest<T> | undefined;
  let known: { readonly value: T; readonly until: number } | undefined;

  function begin(ask: Ask<T>): PendingRequest<T> {
    const stop = new AbortController();
    const work = ask(stop.signal).then((value) => {
      // An aborted request has no result.
      stop.signal.throwIfAborted();
      known = { value, until: clock.monotonic() + lifeMs(value) };
      return value;
    });
    const begun: PendingRequest<T> = { work, stop, waiting: 0 };
    const end = () => {
      if (pending === begun) pending = undefined;
    };
    work.then(end, end);
    return begun;
  }

  return {
    async get(ask, context) {
      if (known && clock.monotonic() < known.until) return known.value;
      pending ??= begin(ask);
      const joined = pending;
      joined.waiting += 1;
      const timer = signalAt(context.deadline, clock, context.signal);
      try {
        return await unlessAborted(joined.work, timer.signal);
      } finally {
        timer.dispose();
        joined.waiting -= 1;
        if (joined.waiting === 0 && pending === joined) {
          pending = undefined;
          joined.stop.abort(new CallError('cancelled', 'No caller waits for this any more.'));
        }
      }
    },
    last: () => known?.value,
    forget() {
      known = undefined;
    },
  };
}

/** Rejects when this caller gives up; others keep waiting. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  signal.throwIfAborted();
  let giveUp: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (giveUp) signal.removeEventListener('abort', giveUp);
  }
}

interface ServerAddress {
  /** Of the OpenAI-compatible API, without a trailing slash. */
  readonly baseUrl: string;
  /** The root of the server's native API. */
  readonly root: string;
}

/** Normalises `CUSTOM_API_URL`. A URL without a path gets `/v1`, where most servers answer. */
export function serverAddress(url: string): ServerAddress {
  const bare = url.trim().replace(/\/+$/, '');
  const hasPath = isUrl(bare) && new URL(bare).pathname !== '/';
  const baseUrl = bare === '' || hasPath ? bare : `${bare}/v1`;
  return { baseUrl, root: baseUrl.replace(/\/v1$/, '') };
}
