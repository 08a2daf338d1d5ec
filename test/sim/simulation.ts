import type { Timer } from '#core/time/clock.ts';
import { createEventQueue } from './event-queue.ts';
import type { SeededRandom } from './random.ts';

/** Something that must never be, with the invariant it breaks. */
export interface Violation {
  readonly invariant: string;
  readonly words: string;
  readonly atMs: number;
}

/** Simulated time: nothing happens but the events in it, one at a time. */
export interface Simulation {
  /** Milliseconds since the beginning. */
  readonly now: number;
  /** How many events there were: tells before from after within one moment. */
  readonly step: number;
  after(ms: number, act: () => void): Timer;
  /** The first violation ends the run. */
  violate(invariant: string, words: string): void;
  readonly violation: Violation | undefined;
  /** Words are made only when somebody wants the trace. */
  tell(who: string, what: () => string): void;
  readonly trace: readonly string[];
  run(check: () => void): Promise<void>;
}

const MAX_EVENTS = 20_000;
const MAX_TRACE_LINES = 2000;

export function createSimulation(random: SeededRandom, tracing: 'traced' | 'untraced'): Simulation {
  const queue = createEventQueue();
  const trace: string[] = [];
  let now = 0;
  let step = 0;
  let violation: Violation | undefined;

  const simulation: Simulation = {
    get now() {
      return now;
    },
    get step() {
      return step;
    },
    after(ms, act) {
      const event = { at: now + Math.max(0, ms), tie: random.next(), act, isStopped: false };
      queue.add(event);
      return { stop: () => void (event.isStopped = true) };
    },
    violate(invariant, words) {
      violation ??= { invariant, words, atMs: now };
      simulation.tell('!', () => `${invariant}: ${words}`);
    },
    get violation() {
      return violation;
    },
    tell(who, what) {
      if (tracing === 'untraced' || trace.length >= MAX_TRACE_LINES) return;
      trace.push(`${now.toFixed(0).padStart(7)} ms  ${who}: ${what()}`);
    },
    trace,
    async run(check) {
      for (let event = queue.take(); event && !violation; event = queue.take()) {
        now = event.at;
        step += 1;
        event.act();
        await settled();
        check();
        if (step > MAX_EVENTS) simulation.violate('ends', `it did not end within ${step} events`);
      }
    },
  };
  return simulation;
}

/**
 * Every promise chain that the event set off has run to its end: the machine turns to other things
 * only then.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
