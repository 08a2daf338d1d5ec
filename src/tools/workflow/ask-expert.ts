import type { AskAnswer, AskReport, AskRequest } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { ToolContext } from '#core/tool.ts';
import { readExpertAnswer, type ExpertReading } from './expert-answer.ts';

/** How asking the expert went. */
export type ExpertOutcome =
  | { readonly is: 'answered'; readonly answer: AskAnswer; readonly reading: ExpertReading }
  /** Nobody finished an answer; `partial` is what had come. */
  | { readonly is: 'failed'; readonly error: CallError; readonly partial: string };

/** Throws when the call was cancelled, and for nothing else: by now the caller's work is kept, and it must hear of it. */
export async function askExpert(
  request: AskRequest,
  context: Pick<ToolContext, 'ask' | 'progress' | 'signal'>,
): Promise<ExpertOutcome> {
  let report: AskReport | undefined;
  context.progress({ note: 'An expert looks at the findings.' });
  try {
    const answer = await context.ask(request, {
      onText: (text) => context.progress({ text }),
      onNote: (note) => context.progress({ note }),
      onReport: (told) => void (report = told),
    });
    return { is: 'answered', answer, reading: readExpertAnswer(answer.text) };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'cancelled' || context.signal.aborted) throw thrown;
    return { is: 'failed', error, partial: report?.partial ?? '' };
  }
}
