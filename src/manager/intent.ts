import { createHash } from 'node:crypto';
import type { Intent } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { RouteFacts } from '#core/route.ts';
import { readIntent } from './intent-answer.ts';
import { intentByRules } from './intent-by-rules.ts';
import { intentPrompt, type IntentPrompt } from './intent-prompt.ts';

export interface IntentInput {
  readonly facts: RouteFacts;
  /** What is asked; its beginning is enough. */
  readonly question: string;
}

/** Asks the manager's model, and gives what it said. How long that may take is the asker's to decide. */
export type AskForIntent = (
  prompt: IntentPrompt,
) => Promise<string | { readonly text: string; readonly model: string }>;

export interface IntentReader {
  /** What the model takes it for, or, when it is of no help, the rules. Rejects only with what the signal says. */
  classify(input: IntentInput, ask: AskForIntent, signal?: AbortSignal): Promise<Intent>;
}

export interface IntentOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maxEntries: number;
}

interface Known {
  readonly intent: Intent;
  readonly until: number;
}

/** `left`: whoever asked did not wait for the answer. */
type Outcome = Intent | 'no_help' | 'left';

// A question means the same tomorrow, but another model may be the judge by then.
const KEPT_MS = 3_600_000;

/** Remembers what was said of which request, and asks once for all who wait for the same. */
export function createIntent({ clock, maxEntries }: IntentOptions): IntentReader {
  /** The one used last stands last. */
  const known = new Map<string, Known>();
  const underWay = new Map<string, Promise<Outcome>>();

  function recall(key: string): Intent | undefined {
    const entry = known.get(key);
    if (!entry) return undefined;
    known.delete(key);
    if (entry.until <= clock.monotonic()) return undefined;
    known.set(key, entry);
    return entry.intent;
  }

  function remember(key: string, intent: Intent): void {
    known.delete(key);
    known.set(key, { intent, until: clock.monotonic() + KEPT_MS });
    for (const oldest of known.keys()) {
      if (known.size <= maxEntries) break;
      known.delete(oldest);
    }
  }

  function begin(key: string, work: Promise<Outcome>): Promise<Outcome> {
    const flight = work.then((outcome) => {
      underWay.delete(key);
      if (typeof outcome === 'object') remember(key, outcome);
      return outcome;
    });
    underWay.set(key, flight);
    return flight;
  }

  return {
    async classify({ facts, question }, ask, signal) {
      const rules = intentByRules(facts);
      const prompt = intentPrompt(facts, question);
      const key = keyOf(facts.tool, prompt);
      for (;;) {
        if (signal?.aborted) throw CallError.from(signal.reason);
        const before = recall(key);
        if (before) return before;
        const flight = underWay.get(key) ?? begin(key, consult(prompt, rules, ask, signal));
        const outcome = await unlessAborted(flight, signal);
        if (typeof outcome === 'object') return outcome;
        if (outcome === 'no_help') return rules;
        // Somebody else asked and has gone; now it is our turn.
      }
    },
  };
}

async function consult(
  prompt: IntentPrompt,
  rules: Intent,
  ask: AskForIntent,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  try {
    const said = await unlessAborted(ask(prompt), signal);
    if (typeof said === 'string') return readIntent(said, rules) ?? 'no_help';
    const intent = readIntent(said.text, rules);
    return intent ? { ...intent, model: said.model } : 'no_help';
  } catch {
    // No key, no time, no answer: the rules have said something, too.
    return signal?.aborted ? 'left' : 'no_help';
  }
}

/** The work's own end, or at once what the signal says. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(CallError.from(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function keyOf(tool: string, { user }: IntentPrompt): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, user]))
    .digest('base64');
}
