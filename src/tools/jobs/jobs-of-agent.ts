import type { Jobs } from '#core/calls/jobs.ts';
import type { Results } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { JobSummary } from '#core/stores/jobs.ts';
import type { ToolContext } from '#core/tools/tool.ts';

type Context = Pick<ToolContext, 'caller' | 'calls'>;

const PAGE_JOBS = 100;
const MAX_PAGES = 20;

/**
 * The jobs as this caller may use them. Those of a principal belong to its clients and agents alike,
 * but an agent reaches only the jobs of tools that it may use itself.
 */
export function jobsFor(context: Context, jobs: Jobs): Jobs {
  if (context.caller.agent === undefined) return jobs;

  async function requireUsable(principal: string, id: string): Promise<void> {
    const { tool } = await jobs.get(principal, id);
    if (!mayUse(context, tool)) throw unknown('job', id);
  }

  return {
    ...jobs,
    async get(principal, id) {
      await requireUsable(principal, id);
      return jobs.get(principal, id);
    },
    async wait(principal, id, forMs, signal) {
      await requireUsable(principal, id);
      return jobs.wait(principal, id, forMs, signal);
    },
    async cancel(principal, id) {
      await requireUsable(principal, id);
      return jobs.cancel(principal, id);
    },
    async answer(principal, id, round, answers) {
      await requireUsable(principal, id);
      return jobs.answer(principal, id, round, answers);
    },
    async list(principal, limit, filter) {
      const usable: JobSummary[] = [];
      let before = filter?.before;
      for (let page = 0; page < MAX_PAGES && usable.length < limit; page += 1) {
        const about = { ...filter, ...(before !== undefined && { before }) };
        const found = await jobs.list(principal, PAGE_JOBS, about);
        usable.push(...found.filter(({ tool }) => mayUse(context, tool)));
        before = found.at(-1)?.id;
        if (found.length < PAGE_JOBS) break;
      }
      return usable.slice(0, limit);
    },
  };
}

/** The same for reading long results. */
export function resultsFor(context: Context, results: Results): Pick<Results, 'read'> {
  if (context.caller.agent === undefined) return results;
  return {
    async read(principal, id, offset, maxChars) {
      const part = await results.read(principal, id, offset, maxChars);
      if (!mayUse(context, part.tool)) throw unknown('result', id);
      return part;
    },
  };
}

function mayUse({ calls }: Context, tool: string): boolean {
  return calls.decide(tool).verdict !== 'deny';
}

function unknown(kind: 'job' | 'result', id: string): CallError {
  return new CallError('not_found', `There is no ${kind} ${id} that you may use.`);
}
