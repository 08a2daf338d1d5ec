import { CallError } from '#core/call-error.ts';
import { checkSize, questionArgs } from './ask-args.ts';

/** What the tool `route` is asked. */
export interface ExplainRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly payload: boolean;
}

/** Everything that a name of a tool may consist of. What has anything else in it, such as a space, is a question. */
const NAME = /^[\w.:/-]{1,128}$/;

/** Whether a word names a tool; anything else is a question, and so is what was not said. */
export function isToolName(word: string | undefined): word is string {
  return word !== undefined && NAME.test(word);
}

/**
 * A tool with its arguments, or a question, which is the prompt of `chat`. What is piped in belongs to a question as it does in
 * `exai ask`: the text that it is about, or the question itself.
 */
export function explainRequest(
  word: string | undefined,
  args: Readonly<Record<string, unknown>>,
  payload: 'with_payload' | 'plan_only',
  input = '',
): ExplainRequest {
  const wants = { payload: payload === 'with_payload' };
  if (isToolName(word)) return { tool: word, args, ...wants };
  if ((word ?? input).trim() === '') throw nothingToExplain();
  if (Object.hasOwn(args, 'prompt')) {
    throw new CallError('bad_request', 'The question is given twice: in words and in --args.', {
      field: '--args',
      fix: 'Leave prompt out of --args, or name the tool: exai explain chat --args …',
    });
  }
  const question = questionArgs(word, input);
  if (question.files && Object.hasOwn(args, 'files')) {
    throw new CallError('bad_request', 'The text is given twice: piped in and in --args.', {
      field: '--args',
      fix: 'Leave files out of --args, or pipe nothing in: </dev/null',
    });
  }
  const asked = { ...args, ...question };
  checkSize(asked);
  return { tool: 'chat', args: asked, ...wants };
}

function nothingToExplain(): CallError {
  return new CallError('bad_request', 'There is neither a tool nor a question to explain.', {
    field: 'tool or question',
    fix: 'exai explain "What is a monad?", or exai explain <tool> --args …; exai explain --help has more.',
  });
}

/** How a word that is taken for a name is asked as a question. It has nothing in it that a shell would look at. */
export function asQuestion(word: string): string {
  return `exai explain chat --args '${JSON.stringify({ prompt: word })}'`;
}
