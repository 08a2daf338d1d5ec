import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { withTimeout } from '../with-timeout.ts';

export interface LifecyclePart<T> {
  start(): T | Promise<T>;
  stop(part: T): void | Promise<void>;
  /** The time limit for stopping it, after which the next part is stopped anyway. */
  stopWithinMs?: number;
  /** How much longer it may take because running work is finished; not counted in the time of all parts. */
  drainMs?: number;
}

export type OnStopProblem = (part: string, error: CallError) => void;

export interface Lifecycle {
  /** Starts a part and registers how to stop it. */
  start<T>(name: string, part: LifecyclePart<T>): Promise<T>;
  /**
   * Stops all started parts in reverse order, within 10 seconds beside the drain. A part that fails or hangs is reported and
   * skipped. Resolves with the names of those that hang.
   */
  stop(onProblem: OnStopProblem): Promise<readonly string[]>;
}

const STOP_WITHIN_MS = 5000;
const STOP_ALL_WITHIN_MS = 10_000;
/** What a part has at least, whatever hung before it. */
const STOP_AT_LEAST_MS = 250;

export function createLifecycle(clock: Clock): Lifecycle {
  const started: {
    name: string;
    withinMs: number;
    drainMs: number;
    stop(): void | Promise<void>;
  }[] = [];
  return {
    async start(name, part) {
      const running = await part.start();
      const { stopWithinMs: withinMs = STOP_WITHIN_MS, drainMs = 0 } = part;
      started.push({ name, withinMs, drainMs, stop: () => part.stop(running) });
      return running;
    },
    async stop(onProblem) {
      const hanging: string[] = [];
      let leftMs = STOP_ALL_WITHIN_MS;
      for (let part = started.pop(); part; part = started.pop()) {
        const { name, drainMs } = part;
        const withinMs = drainMs + Math.min(part.withinMs, Math.max(leftMs, STOP_AT_LEAST_MS));
        const startedAt = clock.monotonic();
        try {
          const outcome = await withTimeout(clock, withinMs, Promise.resolve(part.stop()));
          if (outcome !== 'late') continue;
          hanging.push(name);
          onProblem(name, tooSlow(name, withinMs));
        } catch (thrown) {
          onProblem(name, CallError.from(thrown));
        } finally {
          leftMs -= Math.max(0, clock.monotonic() - startedAt - drainMs);
        }
      }
      return hanging;
    },
  };
}

function tooSlow(name: string, withinMs: number): CallError {
  return new CallError('timeout', `The ${name} did not stop within ${withinMs} ms.`);
}
