import { CallError } from '#core/call-error.ts';
import { Canceller } from '#core/canceller.ts';
import type { CallRequest, Calls, RunningCall } from '#core/calls.ts';
import type { Job, Jobs } from '#core/jobs.ts';
import type { Life } from './life.ts';

/** A door without a protocol: calls and jobs as they are, with what every door owes its clients. */
export interface JobDoor {
  readonly jobs: Pick<Jobs, 'get' | 'list' | 'cancel' | 'answer'>;
  start(request: CallRequest): RunningCall;
  wait(principal: string, id: string, forMs: number): Promise<Job>;
  /** Calls that have no answer yet, and those who wait for a job. */
  readonly size: number;
  /** Takes nobody any more, and waits for those who are there, though not for ever. */
  drain(ms: number): Promise<void>;
}

const STOPPING = new CallError('interrupted', 'The daemon is stopping.');

export function createJobDoor(calls: Pick<Calls, 'start'>, jobs: Jobs, life: Life): JobDoor {
  const open = new Set<RunningCall>();
  const stopping = new Canceller();
  let waiting = 0;
  let onEmpty: (() => void) | undefined;

  function left(): void {
    if (open.size + waiting === 0) onEmpty?.();
  }

  return {
    jobs,
    get size() {
      return open.size + waiting;
    },
    start(request) {
      const running = calls.start(request);
      open.add(running);
      void running.answer.then(() => {
        open.delete(running);
        left();
      });
      if (!running.handOff) return running;
      return {
        ...running,
        // Who gave up is owed nothing any more.
        handOff() {
          open.delete(running);
          running.handOff?.();
          left();
        },
      };
    },
    async wait(principal, id, forMs) {
      waiting += 1;
      try {
        return await jobs.wait(principal, id, forMs, stopping);
      } finally {
        waiting -= 1;
        left();
      }
    },
    drain(ms) {
      stopping.abort(STOPPING);
      return new Promise((resolve) => {
        const late = life.after(ms, () => {
          for (const running of open) running.cancel(STOPPING);
        });
        onEmpty = () => {
          late.stop();
          resolve();
        };
        left();
      });
    },
  };
}
