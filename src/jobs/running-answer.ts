import type { CallAnswer } from '#core/calls.ts';
import type { Id } from '#core/ids.ts';
import type { JobProgress } from '#core/jobs.ts';

export interface HandedOff {
  readonly id: Id<'job'>;
  readonly status: 'queued' | 'running';
  readonly tool: string;
  readonly reqId: string;
  readonly createdAt: number;
  readonly progress: JobProgress;
  /** Why its caller was not kept waiting. */
  readonly because?: string | undefined;
}

/** How often it makes sense to look. */
const POLL_MS = 5000;

/** What a caller gets in place of the answer: nothing is lost, and this is how to get it. */
export function runningAnswer(job: HandedOff): CallAnswer {
  const { id, status, tool, reqId, createdAt, progress, because } = job;
  const { note, chars = 0 } = progress;
  const sofar = chars > 0 ? ` So far it has written ${chars} characters.` : '';
  const doing = note === undefined || note === '' ? '' : ` It is at: ${note.replace(/\.$/, '')}.`;
  const why =
    status === 'queued'
      ? `${tool} runs in the background as job ${id}.`
      : `${tool} takes longer, so it goes on as job ${id}.${doing}${sofar}`;
  const detail = `${why} Nothing is lost: call job_result with {"job_id": "${id}"} for the answer; it waits a while, and can be called again. job_cancel stops it.`;
  return {
    envelope: {
      status: 'running',
      tool,
      attempt: 0,
      req_id: reqId,
      detail,
      content: null,
      job: {
        id,
        status,
        tool,
        created_at: new Date(createdAt).toISOString(),
        poll_ms: POLL_MS,
        ...(note !== undefined && { note }),
        ...(because !== undefined && { because }),
      },
    },
    text: detail,
  };
}
