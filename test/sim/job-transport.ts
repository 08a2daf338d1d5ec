import { CallError } from '#core/errors/call-error.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { CallRequest, Calls, RunningCall } from '#core/calls/calls.ts';
import type { Job, Jobs } from '#core/calls/jobs.ts';
import type { SimProcess } from './sim-process.ts';

/** A transport without a protocol: calls and jobs as they are, with what every transport owes its clients. */
export interface JobTransport {
  readonly jobs: Pick<Jobs, 'get' | 'list' | 'cancel' | 'answer'>;
  start(request: CallRequest): RunningCall;
  wait(principal: string, id: string, forMs: number): Promise<Job>;
  /** Calls that have no answer yet, and those who wait for a job. */
  readonly size: number;
  /** Takes nobody any more, and waits for those who are there, though not for ever. */
  drain(ms: number): Promise<void>;
}

const STOPPING = new CallError('interrupted', 'The daemon is stopping.');

export function createJobTransport(
  calls: Pick<Calls, 'start'>,
  jobs: Jobs,
  life: SimProcess,
): JobTransport {
  const open = new Set<RunningCall>();
  const stopping = new LightAbortController();
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
      if (!running.detach) return running;
      return {
        ...running,
        // Who gave up is owed nothing any more.
        detach() {
          open.delete(running);
          running.detach?.();
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
