import type { CallRequest, Calls, BackgroundPolicy } from '#core/calls/calls.ts';
import type { Jobs } from '#core/calls/jobs.ts';
import type { Tool } from '#core/tools/tool.ts';
import { startWithHandoff } from './background-handoff.ts';
import { createJobService } from './job-service.ts';
import { createJobEvents } from './job-events.ts';
import type { JobsOptions } from './job-options.ts';
import { createJobQueue } from './job-queue.ts';
import { createRunningJobs } from './running-jobs.ts';

export interface JobEngine {
  /** Calls that become jobs when they run for a long time. Wraps `options.calls`. */
  readonly calls: Calls;
  readonly jobs: Jobs;
  /** Resumes jobs left by an earlier daemon. */
  begin(): Promise<void>;
  /** Starts no more jobs, and gives running jobs that cannot be rerun this long to finish. */
  drain(withinMs: number): Promise<void>;
  /** Releases jobs that can be rerun to the next daemon; ends the others. */
  stop(): Promise<void>;
}

/** A short inline wait before a call becomes a job, as every job costs a write. */
const AT_ONCE_MS = 100;

export function createJobEngine(options: JobsOptions): JobEngine {
  const { calls, clock } = options;
  const events = createJobEvents(clock);
  const runningJobs = createRunningJobs(options, events, {
    pump: (afterMs) => queue.pump(afterMs),
    claimed: () => queue.claimed(),
    cancelled: (id) => queue.cancelled(id),
  });
  const queue = createJobQueue(options, runningJobs, events);
  const parts = { options, runningJobs, events };
  let state: 'open' | 'stopped' = 'open';

  return {
    calls: {
      ...calls,
      start(request) {
        const { background, kind = 'tool' } = request;
        const tool = background && kind === 'tool' ? calls.find(request.tool) : undefined;
        if (!background || !tool || tool.background === 'never' || state === 'stopped') {
          return calls.start(request);
        }
        const afterMs = waitMs(tool, background);
        const isForQueue = afterMs === 0 && isFresh(request) && calls.accepts(request);
        if (isForQueue) return queue.add(request, tool);
        return startWithHandoff(request, tool, afterMs, parts);
      },
    },
    jobs: createJobService(options, { runningJobs, events, queue }),
    async begin() {
      if (options.among === 'alone') await options.store.orphan(options.owner);
      queue.pump();
    },
    async drain(withinMs) {
      await Promise.all([queue.stop(), runningJobs.drain(withinMs)]);
    },
    async stop() {
      state = 'stopped';
      await Promise.all([queue.stop(), runningJobs.stop()]);
    },
  };
}

function waitMs(tool: Tool, { afterMs, as }: BackgroundPolicy): number {
  return tool.background === 'immediate' && as === 'task' ? Math.min(AT_ONCE_MS, afterMs) : afterMs;
}

/** A call with input responses continues an earlier call, so it is not queued as a new job. */
function isFresh({ answers, state }: CallRequest): boolean {
  return answers === undefined && state === undefined;
}
