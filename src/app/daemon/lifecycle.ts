import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { withTimeout } from '../with-timeout.ts';

export interface LifecyclePart<T> {
  start(): T | Promise<T>;
  stop(part: T): void | Promise<void>;
  /** The time limit for stopping it, after which the next part is stopped anyway. */
  stopWithinMs?: number;
}

export type OnStopProblem = (part: string, error: CallError) => void;

export interface Lifecycle {
  /** Starts a part and registers how to stop it. */
  start<T>(name: string, part: LifecyclePart<T>): Promise<T>;
  /**
   * Stops all started parts in reverse order. A part that fails or hangs is reported and skipped.
   */
  stop(onProblem: OnStopProblem): Promise<void>;
}

const STOP_WITHIN_MS = 5000;

export function createLifecycle(clock: Clock): Lifecycle {
  const started: { name: string; withinMs: number; stop(): void | Promise<void> }[] = [];
  return {
    async start(name, part) {
      const running = await part.start();
      const withinMs = part.stopWithinMs ?? STOP_WITHIN_MS;
      started.push({ name, withinMs, stop: () => part.stop(running) });
      return running;
    },
    async stop(onProblem) {
      for (let part = started.pop(); part; part = started.pop()) {
        try {
          const outcome = await withTimeout(clock, part.withinMs, Promise.resolve(part.stop()));
          if (outcome === 'late') onProblem(part.name, tooSlow(part.name, part.withinMs));
        } catch (thrown) {
          onProblem(part.name, CallError.from(thrown));
        }
      }
    },
  };
}

function tooSlow(name: string, withinMs: number): CallError {
  return new CallError('timeout', `The ${name} did not stop within ${withinMs} ms.`);
}
