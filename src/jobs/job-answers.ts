import type { CallResult } from '#core/calls/calls.ts';
import { failureResult } from '#core/calls/envelope.ts';
import type { JobProgress } from '#core/calls/jobs.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import { asClause } from '#core/messages/sentence.ts';
import type { JobInput } from './job-codec.ts';

interface DetachedJob {
  readonly id: Id<'job'>;
  readonly status: 'queued' | 'running';
  readonly tool: string;
  readonly reqId: string;
  readonly createdAt: number;
  readonly progress: JobProgress;
  /** Why the call was detached. */
  readonly because?: string | undefined;
}

/** Suggested polling interval. */
const POLL_MS = 5000;

/** The `running` result that a caller gets instead of the answer, with the job id to fetch it. */
export function runningAnswer(job: DetachedJob): CallResult {
  const { id, status, tool, reqId, createdAt, progress, because } = job;
  const { note, chars = 0 } = progress;
  const sofar = chars > 0 ? ` So far it has written ${chars} characters.` : '';
  const doing = note === undefined || note === '' ? '' : ` It is at: ${asClause(note)}.`;
  const why =
    status === 'queued'
      ? `${tool} runs in the background as job ${id}.`
      : `${tool} is still running as background job ${id}.${doing}${sofar}`;
  const detail = `${why} Call job_result with {"job_id": "${id}"} to get the result (repeat if it is not ready yet). Use job_cancel to stop it (through call_tool_write if your tools do not include it).`;
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

/**
 * The result of a job that was interrupted by the end of its daemon and cannot be rerun, with its
 * partial text.
 */
export function interruptedAnswer(input: JobInput, progress: JobProgress): CallResult {
  const what = `The daemon stopped while ${input.tool} ran, and the call cannot be resumed.`;
  return partialAnswer(input, progress, what);
}

/** The result of a job that could be rerun, but whose daemon stopped in each of its runs. */
export function givenUpAnswer(input: JobInput, progress: JobProgress, runs: number): CallResult {
  const what = `The daemon stopped ${runs} times while ${input.tool} ran, so the job is not run again.`;
  return partialAnswer(input, progress, what);
}

function partialAnswer({ tool, reqId }: JobInput, progress: JobProgress, what: string): CallResult {
  const isSilent = (progress.text ?? '') === '';
  const error = new CallError('interrupted', what, {
    fixes: [...(isSilent ? [] : ['What it had said by then is here.']), fix('retry')],
  });
  return withTextSoFar(failureResult(error, tool, reqId), progress);
}

export function withTextSoFar(answer: CallResult, { text = '' }: JobProgress): CallResult {
  if (text === '') return answer;
  return {
    ...answer,
    text: `${answer.text}\n\n${text}`,
    envelope: { ...answer.envelope, content: text },
  };
}
