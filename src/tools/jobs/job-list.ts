import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Tool } from '#core/tool.ts';
import { jobRow, JobShape } from './content.ts';
import type { JobToolDeps } from './deps.ts';
import { MAX_ID_CHARS, readJobId } from './read-id.ts';
import { NO_JOBS, rowWords } from './words.ts';

/** A caller's own jobs; those of others do not exist for it. */
export function jobList(deps: Pick<JobToolDeps, 'jobs'>): Tool {
  return defineTool({
    name: 'job_list',
    title: 'Jobs',
    description: 'Your jobs, the newest first: calls that took long and went on by themselves.',
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
    handOff: 'never',
    async run({ status, limit, before: given }, { caller: { principal } }) {
      const before = given === undefined ? undefined : readJobId(given, 'before');
      // One more than is shown tells whether there is a next page.
      const found = await deps.jobs.list(principal, limit + 1, {
        ...(before !== undefined && { before }),
        ...(status === 'open' && { open: true }),
      });
      const jobs = found.slice(0, limit).map(jobRow);
      const next = found.length > limit ? jobs.at(-1)?.id : undefined;
      const lines = jobs.map(rowWords);
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
