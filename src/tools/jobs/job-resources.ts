import { JOB_URI, jobUri, type Jobs } from '#core/calls/jobs.ts';
import { RESULT_URI, resultUri } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import { pause } from '#core/turns.ts';
import { ICON } from '../icon.ts';
import { jobContent, jobState } from './job-content.ts';
import { readJobId, readResultId, withJob, type JobToolDeps } from './job-lookup.ts';
import { MAX_CHARS } from './read-result.ts';
import { jobsFor, resultsFor } from './jobs-of-agent.ts';

/** Updated whenever the status of any job changes. */
export const JOBS_URI = 'exai://jobs';
const MIME_TYPE = 'application/json';
const MAX_LISTED = 100;

/** The state of a job as a resource; its answer comes from `job_result`. */
function jobTemplate(deps: Pick<JobToolDeps, 'jobs' | 'retentionDays'>): ResourceTemplate {
  return {
    uriTemplate: JOB_URI,
    name: 'job',
    title: 'Job',
    description: 'How a job stands: status, progress, what it asks. job_result has its answer.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'job_result',
    subscribable: true,
    complete: {
      id: async (value, _args, { principal, agent }) => {
        if (agent !== undefined) return [];
        const found = await deps.jobs.list(principal, MAX_LISTED);
        return found.map(({ id }) => id).filter((id) => id.includes(value));
      },
    },
    async read({ id: given = '' }, _uri, context) {
      const { caller, metadata } = context;
      const id = readJobId(given, 'uri');
      const nowMs = Date.parse(metadata.timestamp_utc);
      const job = await withJob({ id, field: 'uri', nowMs, keptDays: deps.retentionDays }, () =>
        jobsFor(context, deps.jobs).get(caller.principal, id),
      );
      return [{ uri: jobUri(id), mimeType: MIME_TYPE, text: JSON.stringify(jobState(job)) }];
    },
  };
}

function jobListResource({ jobs }: { readonly jobs: Jobs }): Resource {
  return {
    uri: JOBS_URI,
    name: 'jobs',
    title: 'Jobs',
    description: `Your last ${MAX_LISTED} jobs, the newest first. exai://jobs/{id} has more of each.`,
    mimeType: MIME_TYPE,
    icons: [ICON],
    uses: 'job_list',
    subscribable: true,
    async read(context) {
      const { principal } = context.caller;
      const found = await jobsFor(context, jobs).list(principal, MAX_LISTED);
      const rows = found.map(jobContent);
      return [{ uri: JOBS_URI, mimeType: MIME_TYPE, text: JSON.stringify({ jobs: rows }) }];
    },
  };
}

const TEXT_TYPE = 'text/plain';
/** A resource is one message; a longer one would hold up other calls. */
const MAX_RESOURCE_CHARS = 8_000_000;

/** A long answer in full, as a resource. */
function resultTemplate({ results }: Pick<JobToolDeps, 'results'>): ResourceTemplate {
  return {
    uriTemplate: RESULT_URI,
    name: 'result',
    title: 'Long result',
    description: 'All of an answer that was too long; read_result gives it in pieces.',
    mimeType: TEXT_TYPE,
    icons: [ICON],
    uses: 'read_result',
    complete: {
      id: async (value, _args, { principal, agent }) => {
        if (agent !== undefined) return [];
        const found = await results.list(principal, MAX_LISTED);
        return found.map(({ id }) => id).filter((id) => id.includes(value));
      },
    },
    async read({ id: given = '' }, _uri, context) {
      const { caller, signal } = context;
      const own = resultsFor(context, results);
      const id = readResultId(given, 'uri');
      const pieces: string[] = [];
      for (let offset = 0, chars = 1; offset < chars;) {
        signal.throwIfAborted();
        const part = await own.read(caller.principal, id, offset, MAX_CHARS).catch((thrown) => {
          throw CallError.from(thrown, { field: 'uri' });
        });
        if (part.text === '') break;
        pieces.push(part.text);
        ({ chars } = part);
        if (chars > MAX_RESOURCE_CHARS) throw tooLong(id, chars);
        // Each piece takes some milliseconds.
        await pause();
        offset = part.offset + part.text.length;
      }
      return [{ uri: resultUri(id), mimeType: TEXT_TYPE, text: pieces.join('') }];
    },
  };
}

function tooLong(id: string, chars: number): CallError {
  return new CallError(
    'too_large',
    `The result has ${chars} characters; a resource has at most ${MAX_RESOURCE_CHARS}.`,
    { field: 'uri', fix: `Read it in pieces: read_result {"id": "${id}", "offset": 0}.` },
  );
}

/** Creates the resources of jobs and long results. */
export function jobResources(deps: Pick<JobToolDeps, 'jobs' | 'results' | 'retentionDays'>): {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
} {
  return {
    resources: [jobListResource(deps)],
    templates: [jobTemplate(deps), resultTemplate(deps)],
  };
}
