import { createHash } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Intent } from '#core/llm/ask.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { signalAt } from '#core/time/deadline.ts';
import {
  classifierPrompt,
  parseClassification,
  type ClassifierPrompt,
} from './classifier-prompt.ts';
import { classifyByRules } from './request-class.ts';

export interface ClassifierInput {
  readonly facts: RouteFacts;
  /** The question, or its beginning. */
  readonly question: string;
  /** Results are cached and shared per principal. */
  readonly principal: string;
  /** The maximum wait of this request, also for a classification that another request started. */
  readonly timeoutMs: number;
  /** `short`: less time than usual, so a timeout says nothing about the model. Default `usual`. */
  readonly time?: 'usual' | 'short';
}

/** Asks the classifier model; rejects on timeout. */
export type AskClassifier = (
  prompt: ClassifierPrompt,
  timeoutMs: number,
) => Promise<string | { readonly text: string; readonly model: string }>;

export interface Classifier {
  /**
   * The model's classification, or that of the rules if the model does not help. Rejects only when the
   * signal aborts.
   */
  classify(input: ClassifierInput, ask: AskClassifier, signal?: AbortSignalLike): Promise<Intent>;
}

interface ClassifierOptions {
  readonly clock: Clock;
  readonly maxEntries: number;
}

interface Known {
  readonly result: Intent | 'no_help';
  readonly until: number;
}

/**
 * `nothing`: no model was asked, or in too little time. `left`: the request that asked was aborted.
 */
type Outcome = Intent | 'no_help' | 'nothing' | 'left';

// Bounded, as another model may be configured later.
const KEPT_MS = 3_600_000;
/** A failed classification is cached shortly, as an immediate repeat seldom helps. */
const NO_HELP_KEPT_MS = 60_000;
/** The minimum time for asking a model. */
const LEAST_MS = 200;

/** Failures before a model was called. */
const UNASKED: ReadonlySet<ErrorClass> = new Set([
  'budget',
  'not_configured',
  'breaker_open',
  'over_capacity',
]);

/** A classifier with a cache, which coalesces identical requests. */
export function createClassifier({ clock, maxEntries }: ClassifierOptions): Classifier {
  const known = createBoundedMap<string, Known>({ maxEntries });
  const pendingByKey = new Map<string, Promise<Outcome>>();
  const breaker = createClassifierBreaker(clock);

  function recall(key: string): Known['result'] | undefined {
    const entry = known.get(key);
    if (!entry) return undefined;
    if (entry.until > clock.monotonic()) return entry.result;
    known.delete(key);
    return undefined;
  }

  function remember(key: string, result: Known['result']): void {
    const keptMs = result === 'no_help' ? NO_HELP_KEPT_MS : KEPT_MS;
    known.set(key, { result, until: clock.monotonic() + keptMs });
  }

  function begin(key: string, permit: ClassifierPermit, work: Promise<Outcome>): Promise<Outcome> {
    const pending = work.then((outcome) => {
      pendingByKey.delete(key);
      if (typeof outcome === 'object') permit.end('help');
      else permit.end(outcome === 'no_help' ? 'miss' : 'nothing');
      if (typeof outcome === 'object' || outcome === 'no_help') remember(key, outcome);
      return outcome;
    });
    pendingByKey.set(key, pending);
    return pending;
  }

  /** Waits for a classification that another request started, within this request's own time. */
  async function join(
    pending: Promise<Outcome>,
    until: number,
    signal: AbortSignalLike | undefined,
  ): Promise<Outcome> {
    const within = signalAt({ at: until }, clock, signal);
    try {
      return await unlessAborted(pending, within.signal);
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      return 'nothing';
    } finally {
      within.dispose();
    }
  }

  return {
    async classify({ facts, question, principal, timeoutMs, time = 'usual' }, ask, signal) {
      const rules = intentFromRules(facts);
      const prompt = classifierPrompt(facts, question);
      const key = keyOf(principal, facts.tool, prompt);
      const until = clock.monotonic() + timeoutMs;
      for (;;) {
        if (signal?.aborted) throw CallError.from(signal.reason);
        const before = recall(key);
        if (before !== undefined) return before === 'no_help' ? rules : before;
        const pending = pendingByKey.get(key);
        let outcome: Outcome;
        if (pending) outcome = await join(pending, until, signal);
        else {
          const leftMs = until - clock.monotonic();
          const permit = leftMs >= LEAST_MS ? breaker.take() : undefined;
          if (!permit) return rules;
          const work = askModel(rules, () => ask(prompt, leftMs), time, signal);
          outcome = await unlessAborted(begin(key, permit, work), signal);
        }
        if (typeof outcome === 'object') return outcome;
        if (outcome !== 'left') return rules;
        // The request that asked was aborted, so this one asks now.
      }
    },
  };
}

async function askModel(
  rules: Intent,
  ask: () => ReturnType<AskClassifier>,
  time: 'usual' | 'short',
  signal: AbortSignalLike | undefined,
): Promise<Outcome> {
  try {
    const result = await unlessAborted(ask(), signal);
    if (typeof result === 'string') return parseClassification(result, rules) ?? 'no_help';
    const intent = parseClassification(result.text, rules);
    return intent ? { ...intent, model: result.model } : 'no_help';
  } catch (thrown) {
    // Without a usable answer the rules decide.
    if (signal?.aborted) return 'left';
    const { class: kind } = CallError.from(thrown);
    return UNASKED.has(kind) || (kind === 'timeout' && time === 'short') ? 'nothing' : 'no_help';
  }
}

/** The work's result, or a rejection as soon as the signal aborts. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignalLike | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(CallError.from(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function keyOf(principal: string, tool: string, { user }: ClassifierPrompt): string {
  return createHash('sha256')
    .update(JSON.stringify([principal, tool, user]))
    .digest('base64');
}

/** Prompt sizes from which a request counts as moderate or deep. */
const MODERATE_TOKENS = 500;
const DEEP_TOKENS = 16_000;

/** The classification by rules, without calling a model. */
export function intentFromRules(facts: RouteFacts): Intent {
  const { class: kind, confidence, reason } = classifyByRules(facts);
  return {
    class: kind,
    confidence,
    reason,
    by: 'rules',
    needsWebSearch: needsSearch(facts, kind),
    complexity: complexityOf(facts),
    domains: [],
  };
}

function needsSearch({ search, fresh }: RouteFacts, kind: Intent['class']): boolean {
  if (search !== 'auto') return search === 'on';
  return kind === 'web' || fresh?.strength === 'strong';
}

function complexityOf({ category, step, tokens, files, tools }: RouteFacts): Intent['complexity'] {
  if (category === 'extended_reasoning' || step?.depth === 'deep' || tokens > DEEP_TOKENS) {
    return 'deep';
  }
  return tokens > MODERATE_TOKENS || files.count > 0 || tools > 0 ? 'moderate' : 'simple';
}

/** Permission for one classifier call, which reports its result. */
interface ClassifierPermit {
  /** `nothing`: says nothing about the model, for example an aborted request. */
  end(how: 'help' | 'miss' | 'nothing'): void;
}

interface ClassifierBreaker {
  /** Never waits; undefined while the breaker is open. */
  take(): ClassifierPermit | undefined;
}

const MISSES = 3;
const REST_MS = 60_000;

/**
 * The breaker of the classifier model. After a few useless answers in a row it opens, so that
 * requests do not wait for nothing; after the cool-down one request probes.
 */
function createClassifierBreaker(clock: Pick<Clock, 'monotonic'>): ClassifierBreaker {
  let misses = 0;
  let until = 0;
  let isTrying = false;

  function note(how: 'help' | 'miss' | 'nothing'): void {
    if (how === 'help') misses = 0;
    if (how !== 'miss') return;
    misses = Math.min(MISSES, misses + 1);
    if (misses === MISSES) until = clock.monotonic() + REST_MS;
  }

  return {
    take() {
      if (misses < MISSES) return { end: note };
      if (isTrying || clock.monotonic() < until) return undefined;
      isTrying = true;
      return {
        end(how) {
          isTrying = false;
          note(how);
        },
      };
    },
  };
}
