import { expect } from 'vitest';
import type { LoadEnd } from './load.ts';
import type { World } from './world.ts';

type Query = World['query'];

export async function settledJobs(query: Query): Promise<void> {
  await expect
    .poll(() =>
      query(
        `select cast(count(*) as integer) as open from jobs where status in ('queued', 'running')`,
      ),
    )
    .toEqual([{ open: 0 }]);
}

/** What is stored, against what was acknowledged. */
export async function compare(query: Query, ends: readonly LoadEnd[]) {
  const [{ n: usage } = { n: 0 }] = await query('select cast(count(*) as integer) as n from usage');
  const recorded = new Set((await query('select req_id from calls')).map((row) => row['req_id']));
  const jobs = new Map(
    (await query('select id, status, error from jobs')).map(({ id, status, error }) => [
      id,
      { status, error },
    ]),
  );
  const conversations = new Set(
    (await query('select distinct conversation_id as id from turns')).map(({ id }) => id),
  );
  const good = ends.filter(({ is }) => is === 'acknowledged');
  const isLost = ({ jobId, reqId, conversationId }: LoadEnd) =>
    jobId === undefined
      ? !recorded.has(reqId) || (conversationId !== undefined && !conversations.has(conversationId))
      : jobs.get(jobId)?.status !== 'done';
  return {
    acknowledged: good.length,
    lost: good.filter(isLost).map((end) => ({ ...end, job: jobs.get(end.jobId) })),
    wrong: ends.filter(
      (end) => end.is === 'wrong' || /internal|permission|\b(403|500)\b/.test(end.class),
    ),
    usage: Number(usage),
  };
}
