import { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { JobProgress } from '#core/jobs.ts';
import { fix } from '#core/messages/fixes.ts';
import type { JobInput } from './job-input.ts';

/** Of a job that its daemon's end cut off and that cannot be run again, with what there was of its answer. */
export function interruptedAnswer({ tool, reqId }: JobInput, progress: JobProgress): CallAnswer {
  const isSilent = (progress.text ?? '') === '';
  const error = new CallError(
    'interrupted',
    `The daemon stopped while ${tool} ran, and it cannot go on from where it was.`,
    {
      fixes: [...(isSilent ? [] : ['What it had said by then is here.']), fix('retry')],
    },
  );
  return withTextSoFar(failureAnswer(error, tool, reqId), progress);
}

export function withTextSoFar(answer: CallAnswer, { text = '' }: JobProgress): CallAnswer {
  if (text === '') return answer;
  return {
    ...answer,
    text: `${answer.text}\n\n${text}`,
    envelope: { ...answer.envelope, content: text },
  };
}
