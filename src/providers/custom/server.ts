import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { deadlineIn, signalAt } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { ProviderContext, ProviderModel } from '#core/provider.ts';
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

/** Who asks, and how long they can wait. */
type Waiting = Pick<ProviderContext, 'signal' | 'deadline'>;

/** What a server is and has, asked once in a while. */
export interface KnownServer {
  get(context: Waiting): Promise<Server>;
  /** What was found when it was last looked at, however long ago; nothing before, and after `forget`. */
  known(): Server | undefined;
  /** What only Ollama can tell about one model: its window and what it takes. */
  ollamaModel(model: string, context: Waiting): Promise<Partial<ProviderModel>>;
  /** As Ollama last told it. */
  knownOllamaModel(model: string): Partial<ProviderModel> | undefined;
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
  const models = createBoundedMap<string, Remembered<Partial<ProviderModel>>>({
    maxEntries: MAX_MODELS,
  });

  async function ask(
    url: string,
    signal: Cancel,
    body?: { readonly model: string },
  ): Promise<unknown> {
    const { json } = await wire.call(
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

  async function probe(signal: Cancel): Promise<Server> {
    let isLoading = false;
    const names = Object.keys(PROBES) as ProbeName[];
    const answers = await Promise.all(
      names.map((name) =>
        ask(name === 'models' ? `${at.baseUrl}/models` : `${at.root}${PROBES[name]}`, signal).catch(
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

  async function askOllama(model: string, signal: Cancel): Promise<Partial<ProviderModel>> {
    const [shown, running] = await Promise.all(
      // Older versions have neither.
      [ask(`${at.root}/api/show`, signal, { model }), ask(`${at.root}/api/ps`, signal)].map(
        (asked) => asked.catch(() => undefined),
      ),
    );
    return ollamaFacts(model, asObject(shown), asObject(running));
  }

  return {
    get: (context) => server.get(probe, context),
    known: () => server.last(),
    ollamaModel(model, context) {
      const known = models.get(model) ?? remember(clock, () => UNKNOWN_MS * 12);
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

/** `num_ctx`, which stands on a line of its own. */
function setWindow(parameters: string): number | undefined {
  for (const line of parameters.slice(0, MAX_PARAMETER_CHARS).split('\n')) {
    const [name, value = ''] = line.trim().split(/\s+/, 2);
    if (name === 'num_ctx' && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return undefined;
}

type Ask<T> = (signal: Cancel) => Promise<T>;

interface Remembered<T> {
  get(ask: Ask<T>, context: Waiting): Promise<T>;
  /** Even when it is due to be asked again. */
  last(): T | undefined;
  forget(): void;
}

interface Flight<T> {
  readonly work: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/** One answer for all who ask at the same time, and for those who ask soon after. When the last of them has left, nobody is asked. */
function remember<T>(clock: Clock, lifeMs: (value: T) => number): Remembered<T> {
  let flight: Flight<T> | undefined;
  let known: { readonly value: T; readonly until: number } | undefined;

  function begin(ask: Ask<T>): Flight<T> {
    const stop = new AbortController();
    const work = ask(stop.signal).then((value) => {
      // What was stopped has told nothing.
      stop.signal.throwIfAborted();
      known = { value, until: clock.monotonic() + lifeMs(value) };
      return value;
    });
    const begun: Flight<T> = { work, stop, waiting: 0 };
    const end = () => {
      if (flight === begun) flight = undefined;
    };
    work.then(end, end);
    return begun;
  }

  return {
    async get(ask, context) {
      if (known && clock.monotonic() < known.until) return known.value;
      flight ??= begin(ask);
      const joined = flight;
      joined.waiting += 1;
      const timer = signalAt(context.deadline, clock, context.signal);
      try {
        return await unlessAborted(joined.work, timer.signal);
      } finally {
        timer.dispose();
        joined.waiting -= 1;
        if (joined.waiting === 0 && flight === joined) {
          flight = undefined;
          joined.stop.abort(new CallError('cancelled', 'Nobody waits for this any more.'));
        }
      }
    },
    last: () => known?.value,
    forget() {
      known = undefined;
    },
  };
}

/** Whoever gives up stops waiting; the others do not. */
async function unlessAborted<T>(work: Promise<T>, signal: Cancel): Promise<T> {
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
