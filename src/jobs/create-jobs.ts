import type { CallRequest, Calls, HandOff } from '#core/calls.ts';
import type { Jobs } from '#core/jobs.ts';
import type { Tool } from '#core/tool.ts';
import { startPatiently } from './hand-off.ts';
import { createJobDesk } from './job-desk.ts';
import { createNews } from './news.ts';
import type { JobsOptions } from './options.ts';
import { createQueue } from './queue.ts';
import { createWorks } from './works.ts';

export interface JobEngine {
  /** Calls that become jobs when they take long. */
  readonly calls: Calls;
  readonly jobs: Jobs;
  /** Takes up what was left by a daemon before. */
  begin(): Promise<void>;
  /** Begins nothing more, and gives what could not be run again so long to end. */
  drain(withinMs: number): Promise<void>;
  /** What may run again is there for the next daemon; everything else ends. */
  stop(): Promise<void>;
}

/** What may be quick is given the chance to be, as every job costs a write. */
const AT_ONCE_MS = 100;

export function createJobs(options: JobsOptions): JobEngine {
  const { calls, clock } = options;
  const news = createNews(clock);
  const works = createWorks(options, news, {
    pump: (afterMs) => queue.pump(afterMs),
    claimed: () => queue.claimed(),
    cancelled: (id) => queue.cancelled(id),
  });
  const queue = createQueue(options, works, news);
  const parts = { options, works, news };
  let state: 'open' | 'stopped' = 'open';

  return {
    calls: {
      ...calls,
      start(request) {
        const { handOff, kind = 'tool' } = request;
        const tool = handOff && kind === 'tool' ? calls.find(request.tool) : undefined;
        if (!handOff || !tool || tool.handOff === 'never' || state === 'stopped') {
          return calls.start(request);
        }
        const afterMs = waitMs(tool, handOff);
        const isForQueue = afterMs === 0 && isFresh(request) && calls.accepts(request);
        if (isForQueue) return queue.add(request, tool);
        return startPatiently(request, tool, afterMs, parts);
      },
    },
    jobs: createJobDesk(options, { works, news, queue }),
    async begin() {
      if (options.among === 'alone') await options.store.orphan(options.owner);
      queue.pump();
    },
    async drain(withinMs) {
      await Promise.all([queue.stop(), works.drain(withinMs)]);
    },
    async stop() {
      state = 'stopped';
      await Promise.all([queue.stop(), works.stop()]);
    },
  };
}

function waitMs(tool: Tool, { afterMs, as }: HandOff): number {
  return tool.handOff === 'at_once' && as === 'task' ? Math.min(AT_ONCE_MS, afterMs) : afterMs;
}

/** A call that brings answers goes on with something: it is not begun anew in the background. */
function isFresh({ answers, state }: CallRequest): boolean {
  return answers === undefined && state === undefined;
}
