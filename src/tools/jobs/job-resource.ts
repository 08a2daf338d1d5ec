import { JOB_URI, jobUri, type Jobs } from '#core/jobs.ts';
import type { Resource, ResourceTemplate } from '#core/resource.ts';
import { ICON } from '../icon.ts';
import { jobRow, jobState } from './content.ts';
import type { JobToolDeps } from './deps.ts';
import { withJob } from './find-job.ts';
import { readJobId } from './read-id.ts';

/** Touched whenever the status of any job changes. */
export const JOBS_URI = 'exai://jobs';
const MIME_TYPE = 'application/json';
const MAX_LISTED = 100;

/** How a job stands, to look at again and again; its answer is the tool's to give. */
export function jobResource(deps: Pick<JobToolDeps, 'jobs' | 'jobsKeptDays'>): ResourceTemplate {
  return {
    uriTemplate: JOB_URI,
    name: 'job',
    title: 'Job',
    description: 'How a job stands: status, progress, what it asks. job_result has its answer.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'job_result',
    tellsChanges: true,
    complete: {
      id: async (value, _args, { principal }) => {
        const found = await deps.jobs.list(principal, MAX_LISTED);
        return found.map(({ id }) => id).filter((id) => id.includes(value));
      },
    },
    async read({ id: given = '' }, _uri, { caller: { principal }, metadata }) {
      const id = readJobId(given, 'uri');
      const nowMs = Date.parse(metadata.timestamp_utc);
      const job = await withJob({ id, field: 'uri', nowMs, keptDays: deps.jobsKeptDays }, () =>
        deps.jobs.get(principal, id),
      );
      return [{ uri: jobUri(id), mimeType: MIME_TYPE, text: JSON.stringify(jobState(job)) }];
    },
  };
}

export function jobsResource({ jobs }: { readonly jobs: Jobs }): Resource {
  return {
    uri: JOBS_URI,
    name: 'jobs',
    title: 'Jobs',
    description: `Your last ${MAX_LISTED} jobs, the newest first. exai://jobs/{id} has more of each.`,
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'job_list',
    tellsChanges: true,
    async read({ caller: { principal } }) {
      const rows = (await jobs.list(principal, MAX_LISTED)).map(jobRow);
      return [{ uri: JOBS_URI, mimeType: MIME_TYPE, text: JSON.stringify({ jobs: rows }) }];
    },
  };
}
