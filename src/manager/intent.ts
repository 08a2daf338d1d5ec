import { createHash } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Intent } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { signalAt } from '#core/deadline.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { Cancel } from '#core/http.ts';
import type { RouteFacts } from '#core/route.ts';
import { readIntent } from './intent-answer.ts';
import { intentByRules } from './intent-by-rules.ts';
import { intentPrompt, type IntentPrompt } from './intent-prompt.ts';
import { createIntentRest, type IntentTurn } from './intent-rest.ts';

export interface IntentInput {
  readonly facts: RouteFacts;
  /** What is asked; its beginning is enough. */
  readonly question: string;
  /** For whom: nobody is given, or waits for, what somebody else is having done. */
  readonly principal: string;
  /** The most that this one waits, whoever of those who ask the same began it. */
  readonly timeoutMs: number;
  /** `short`: less time than is usual, so running out of it says nothing of the model. `usual` unless told. */
  readonly time?: 'usual' | 'short';
}

/** Asks the manager's model, and gives what it said; rejects when the time is over. */
export type AskForIntent = (
  prompt: IntentPrompt,
  timeoutMs: number,
) => Promise<string | { readonly text: string; readonly model: string }>;

export interface IntentReader {
  /** What the model takes it for, or, when it is of no help, the rules. Rejects only with what the signal says. */
  classify(input: IntentInput, ask: AskForIntent, signal?: Cancel): Promise<Intent>;
}

export interface IntentOptions {
  readonly clock: Clock;
  readonly maxEntries: number;
}

interface Known {
  readonly said: Intent | 'no_help';
  readonly until: number;
}

/** `nothing`: nobody was asked, or in too little time. `left`: whoever asked did not wait for the answer. */
type Outcome = Intent | 'no_help' | 'nothing' | 'left';

// A question means the same tomorrow, but another model may be the judge by then.
const KEPT_MS = 3_600_000;
/** What a model could make nothing of, it seldom understands a moment later. */
const NO_HELP_KEPT_MS = 60_000;
/** In less than this no model answers. */
const LEAST_MS = 200;

/** Failures in which no model had a part. */
const UNASKED: ReadonlySet<ErrorClass> = new Set([
  'budget',
  'not_configured',
  'breaker_open',
  'over_capacity',
]);

/** Remembers what was said of which request, and asks once for all who wait for the same. */
export function createIntent({ clock, maxEntries }: IntentOptions): IntentReader {
  const known = createBoundedMap<string, Known>({ maxEntries });
  const underWay = new Map<string, Promise<Outcome>>();
  const rest = createIntentRest(clock);

  function recall(key: string): Known['said'] | undefined {
    const entry = known.get(key);
    if (!entry) return undefined;
    if (entry.until > clock.monotonic()) return entry.said;
    known.delete(key);
    return undefined;
  }

  function remember(key: string, said: Known['said']): void {
    const keptMs = said === 'no_help' ? NO_HELP_KEPT_MS : KEPT_MS;
    known.set(key, { said, until: clock.monotonic() + keptMs });
  }

  function begin(key: string, turn: IntentTurn, work: Promise<Outcome>): Promise<Outcome> {
    const flight = work.then((outcome) => {
      underWay.delete(key);
      if (typeof outcome === 'object') turn.end('help');
      else turn.end(outcome === 'no_help' ? 'miss' : 'nothing');
      if (typeof outcome === 'object' || outcome === 'no_help') remember(key, outcome);
      return outcome;
    });
    underWay.set(key, flight);
    return flight;
  }

  /** What somebody else is having said; who began it may have more time than this one. */
  async function join(
    flight: Promise<Outcome>,
    until: number,
    signal: Cancel | undefined,
  ): Promise<Outcome> {
    const within = signalAt({ at: until }, clock, signal);
    try {
      return await unlessAborted(flight, within.signal);
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      return 'nothing';
    } finally {
      within.dispose();
    }
  }

  return {
    async classify({ facts, question, principal, timeoutMs, time = 'usual' }, ask, signal) {
      const rules = intentByRules(facts);
      const prompt = intentPrompt(facts, question);
      const key = keyOf(principal, facts.tool, prompt);
      const until = clock.monotonic() + timeoutMs;
      for (;;) {
        if (signal?.aborted) throw CallError.from(signal.reason);
        const before = recall(key);
        if (before !== undefined) return before === 'no_help' ? rules : before;
        const flight = underWay.get(key);
        let outcome: Outcome;
        if (flight) outcome = await join(flight, until, signal);
        else {
          const leftMs = until - clock.monotonic();
          const turn = leftMs >= LEAST_MS ? rest.take() : undefined;
          if (!turn) return rules;
          const work = consult(rules, () => ask(prompt, leftMs), time, signal);
          outcome = await unlessAborted(begin(key, turn, work), signal);
        }
        if (typeof outcome === 'object') return outcome;
        if (outcome !== 'left') return rules;
        // Somebody else asked and has gone; now it is our turn.
      }
    },
  };
}

async function consult(
  rules: Intent,
  ask: () => ReturnType<AskForIntent>,
  time: 'usual' | 'short',
  signal: Cancel | undefined,
): Promise<Outcome> {
  try {
    const said = await unlessAborted(ask(), signal);
    if (typeof said === 'string') return readIntent(said, rules) ?? 'no_help';
    const intent = readIntent(said.text, rules);
    return intent ? { ...intent, model: said.model } : 'no_help';
  } catch (thrown) {
    // No key, no time, no answer: the rules have said something, too.
    if (signal?.aborted) return 'left';
    const { class: kind } = CallError.from(thrown);
    return UNASKED.has(kind) || (kind === 'timeout' && time === 'short') ? 'nothing' : 'no_help';
  }
}

/** The work's own end, or at once what the signal says. */
function unlessAborted<T>(work: Promise<T>, signal: Cancel | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(CallError.from(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function keyOf(principal: string, tool: string, { user }: IntentPrompt): string {
  return createHash('sha256')
    .update(JSON.stringify([principal, tool, user]))
    .digest('base64');
}
