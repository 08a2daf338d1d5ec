import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Tool } from '#core/tool.ts';
import { StatusShape } from './content.ts';
import type { JobToolDeps } from './deps.ts';
import { withJob } from './find-job.ts';
import { MAX_ID_CHARS, readJobId } from './read-id.ts';
import { statusWords } from './words.ts';

/** Stops a job; what is over already stays as it is. */
export function jobCancel(deps: Pick<JobToolDeps, 'jobs' | 'jobsKeptDays'>): Tool {
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
    handOff: 'never',
    async run({ job_id: given }, { caller: { principal }, metadata }) {
      const id = readJobId(given, 'job_id');
      const nowMs = Date.parse(metadata.timestamp_utc);
      const sought = { id, field: 'job_id', nowMs, keptDays: deps.jobsKeptDays };
      return withJob(sought, async () => {
        const outcome = await deps.jobs.cancel(principal, id);
        if (outcome === 'cancelled') {
          return { text: `Job ${id} is cancelled.`, content: { id, outcome, status: outcome } };
        }
        const { status } = await deps.jobs.get(principal, id);
        const how = `Job ${id} was over already: it ${statusWords(status)}.`;
        const next = status === 'cancelled' ? '' : ' job_result has its answer.';
        return { text: `${how}${next}`, content: { id, outcome, status } };
      });
    },
  });
}
