import type { Jobs } from '#core/jobs.ts';
import { jobRow, type JobRow } from './content.ts';
import { NO_JOBS, rowWords } from './words.ts';

const MAX_OPEN = 10;
const LATEST = 5;

/** For who has no id: those that are under way and the latest, the newest first, and how to ask for one of them. */
export async function latestJobs(
  jobs: Pick<Jobs, 'list'>,
  principal: string,
): Promise<{ readonly text: string; readonly content: { readonly jobs: readonly JobRow[] } }> {
  const [open, latest] = await Promise.all([
    // One more than is shown tells whether there are more.
    jobs.list(principal, MAX_OPEN + 1, { open: true }),
    jobs.list(principal, LATEST),
  ]);
  // By id, as most of the latest are often open; one that changed meanwhile is as it was seen last.
  const found = new Map([...open.slice(0, MAX_OPEN), ...latest].map((job) => [job.id, job]));
  const rows = [...found.values()]
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(jobRow);
  const [first] = rows;
  if (!first) return { text: NO_JOBS, content: { jobs: [] } };
  const more = open.length > MAX_OPEN ? ' More are under way: exai://jobs lists them.' : '';
  const next = `For the answer of one call job_result with its id, as in {"job_id": "${first.id}"}.`;
  return { text: [...rows.map(rowWords), `${next}${more}`].join('\n'), content: { jobs: rows } };
}
