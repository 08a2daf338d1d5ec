import * as z from 'zod';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { jobContent, JobShape, StatusShape } from './job-content.ts';
import { MAX_ID_CHARS, readJobId, withJob, type JobToolDeps } from './job-lookup.ts';
import { jobsFor } from './jobs-of-agent.ts';
import { jobResult } from './job-result.ts';
import { readResult } from './read-result.ts';
import { describeStatus, NO_JOBS, renderJobRow } from './render.ts';

/** Lists the caller's own jobs; those of others stay invisible. */
export function jobList(deps: Pick<JobToolDeps, 'jobs'>): Tool {
  return defineTool({
    name: 'job_list',
    title: 'Jobs',
    description: 'List your background jobs, newest first.',
    input: z.strictObject({
      status: z.enum(['open', 'all']).default('all').describe('open: not over yet.'),
      limit: z.int().min(1).max(100).default(20),
      before: z.string().max(MAX_ID_CHARS).optional().describe('What next said.'),
    }),
    output: z.strictObject({
      jobs: z.array(JobShape),
      next: z.string().optional().describe('For `before`.'),
    }),
    effect: 'reads',
    profile: 'standard',
    background: 'never',
    async run({ status, limit, before: given }, context) {
      const { principal } = context.caller;
      const before = given === undefined ? undefined : readJobId(given, 'before');
      // One more than shown, to know whether there is a next page.
      const found = await jobsFor(context, deps.jobs).list(principal, limit + 1, {
        ...(before !== undefined && { before }),
        ...(status === 'open' && { open: true }),
      });
      const jobs = found.slice(0, limit).map(jobContent);
      const next = found.length > limit ? jobs.at(-1)?.id : undefined;
      const lines = jobs.map(renderJobRow);
      if (next !== undefined) lines.push(`More: before ${next}`);
      return {
        text: lines.join('\n') || none(status, before),
        content: { jobs, ...(next !== undefined && { next }) },
      };
    },
  });
}

function none(status: 'open' | 'all', before: string | undefined): string {
  if (before !== undefined) return 'There are no older ones.';
  return status === 'open' ? 'No job of yours is under way.' : NO_JOBS;
}

/** Cancels a job; a finished one stays as it is. */
export function jobCancel(deps: Pick<JobToolDeps, 'jobs' | 'retentionDays'>): Tool {
  return defineTool({
    name: 'job_cancel',
    title: 'Cancel a job',
    description: 'Stop a job. One that is over stays as it ended.',
    input: z.strictObject({ job_id: z.string().max(MAX_ID_CHARS) }),
    output: z.strictObject({
      id: z.string(),
      outcome: z.enum(['cancelled', 'already_over']),
      status: StatusShape,
    }),
    effect: 'changes',
    idempotent: true,
    profile: 'standard',
    background: 'never',
    async run({ job_id: given }, context) {
      const { principal } = context.caller;
      const jobs = jobsFor(context, deps.jobs);
      const id = readJobId(given, 'job_id');
      const nowMs = Date.parse(context.metadata.timestamp_utc);
      const sought = { id, field: 'job_id', nowMs, keptDays: deps.retentionDays };
      return withJob(sought, async () => {
        const outcome = await jobs.cancel(principal, id);
        if (outcome === 'cancelled') {
          return { text: `Job ${id} is cancelled.`, content: { id, outcome, status: outcome } };
        }
        const { status } = await jobs.get(principal, id);
        const how = `Job ${id} was over already: it ${describeStatus(status)}.`;
        const next = status === 'cancelled' ? '' : ' job_result has its answer.';
        return { text: `${how}${next}`, content: { id, outcome, status } };
      });
    },
  });
}

/** Creates the tools for jobs and long results. */
export function jobTools(deps: JobToolDeps): readonly Tool[] {
  return [jobCancel(deps), jobList(deps), jobResult(deps), readResult(deps)];
}
