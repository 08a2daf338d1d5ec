import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { deadlineIn } from '#core/deadline.ts';
import type { ProviderModel } from '#core/provider.ts';
import { asCount, asList, asObject, asText, type Unknown } from '../wire/json-read.ts';
import type { Wire } from '../wire/wire.ts';
import type { ServerAddress } from './address.ts';
import {
  objectsOf,
  PROBES,
  readServer,
  type ProbeAnswers,
  type ProbeName,
  type Server,
} from './probes.ts';

/** What a server is and has, asked once in a while. */
export interface KnownServer {
  get(signal: AbortSignal): Promise<Server>;
  /** What only Ollama can tell about one model: its window and what it takes. */
  ollamaModel(model: string, signal: AbortSignal): Promise<Partial<ProviderModel>>;
  /** The next call asks again. */
  forget(): void;
}

const PROBE_MS = 1_500;
/** A server that was found stays what it is for a while; one that did not answer may just be starting. */
const FOUND_MS = 5 * 60_000;
const UNKNOWN_MS = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 64;

export function createKnownServer(wire: Wire, at: ServerAddress, clock: Clock): KnownServer {
  const server = remember<Server>(clock, (found) =>
    found.flavour === undefined ? UNKNOWN_MS : FOUND_MS,
  );
  const models = new Map<string, Remembered<Partial<ProviderModel>>>();

  /** Nobody's signal: what is asked here is for all who wait. */
  const context = () => ({
    signal: new AbortController().signal,
    deadline: deadlineIn(clock, PROBE_MS),
  });

  async function ask(url: string, body?: { readonly model: string }): Promise<unknown> {
    const { json } = await wire.call(
      {
        operation: 'models',
        method: body ? 'POST' : 'GET',
        path: url,
        maxBytes: MAX_BYTES,
        ...(body && { body }),
      },
      context(),
    );
    return json;
  }

  async function probe(): Promise<Server> {
    let isLoading = false;
    const names = Object.keys(PROBES) as ProbeName[];
    const answers = await Promise.all(
      names.map((name) =>
        ask(name === 'models' ? `${at.baseUrl}/models` : `${at.root}${PROBES[name]}`).catch(
          (thrown: unknown) => {
            // A path that this server does not have is an answer, too.
            isLoading ||= name === 'props' && saysLoading(thrown);
            return undefined;
          },
        ),
      ),
    );
    const byName = Object.fromEntries(names.map((name, index) => [name, answers[index]]));
    return readServer({ ...byName, isLoading } as ProbeAnswers);
  }

  async function askOllama(model: string): Promise<Partial<ProviderModel>> {
    const [shown, running] = await Promise.all(
      // Older versions have neither.
      [ask(`${at.root}/api/show`, { model }), ask(`${at.root}/api/ps`)].map((asked) =>
        asked.catch(() => undefined),
      ),
    );
    return ollamaFacts(model, asObject(shown), asObject(running));
  }

  return {
    get: (signal) => server.get(probe, signal),
    ollamaModel(model, signal) {
      const known = models.get(model) ?? remember(clock, () => UNKNOWN_MS * 12);
      models.set(model, known);
      const [oldest] = models.keys();
      if (models.size > MAX_MODELS && oldest !== undefined) models.delete(oldest);
      return known.get(() => askOllama(model), signal);
    },
    forget() {
      server.forget();
      models.clear();
    },
  };
}

function saysLoading(thrown: unknown): boolean {
  return (
    thrown instanceof CallError && thrown.class === 'overloaded' && /loading/i.test(thrown.message)
  );
}

/** A running model tells its window; of one at rest the settings of its file do, if it has any. */
function ollamaFacts(
  model: string,
  shown: Unknown | undefined,
  running: Unknown | undefined,
): Partial<ProviderModel> {
  const loaded = objectsOf(running?.['models']).find(
    ({ name }) => name === model || name === `${model}:latest`,
  );
  const set = /^\s*num_ctx\s+(\d+)/m.exec(asText(shown?.['parameters']) ?? '')?.[1];
  const window = asCount(loaded?.['context_length']) || asCount(set);
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

interface Remembered<T> {
  get(ask: () => Promise<T>, signal: AbortSignal): Promise<T>;
  forget(): void;
}

/** One answer for all who ask at the same time, and for those who ask soon after. */
function remember<T>(clock: Clock, lifeMs: (value: T) => number): Remembered<T> {
  let asking: Promise<T> | undefined;
  let known: { readonly value: T; readonly until: number } | undefined;
  return {
    get(ask, signal) {
      if (known && clock.monotonic() < known.until) return Promise.resolve(known.value);
      asking ??= ask().then(
        (value) => {
          known = { value, until: clock.monotonic() + lifeMs(value) };
          asking = undefined;
          return value;
        },
        (thrown: unknown) => {
          asking = undefined;
          throw thrown;
        },
      );
      return unlessAborted(asking, signal);
    },
    forget() {
      known = undefined;
    },
  };
}

/** Whoever gives up stops waiting; the others do not. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
