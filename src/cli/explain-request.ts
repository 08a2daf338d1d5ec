import { CallError } from '#core/call-error.ts';

/** What the tool `route` is asked. */
export interface ExplainRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly payload: boolean;
}

/** Everything that a name of a tool may consist of. What has anything else in it, such as a space, is a question. */
const NAME = /^[\w.:/-]{1,128}$/;

/** A tool with its arguments, or a question, which is the prompt of `chat`. */
export function explainRequest(
  word: string,
  args: Readonly<Record<string, unknown>>,
  payload: 'with_payload' | 'plan_only',
): ExplainRequest {
  const wants = { payload: payload === 'with_payload' };
  if (NAME.test(word)) return { tool: word, args, ...wants };
  if (Object.hasOwn(args, 'prompt')) {
    throw new CallError('bad_request', 'The question is given twice: in words and in --args.', {
      field: '--args',
      fix: 'Leave prompt out of --args, or name the tool: exai explain chat --args …',
    });
  }
  return { tool: 'chat', args: { ...args, prompt: word }, ...wants };
}

/** How a word that is taken for a name is asked as a question. It has nothing in it that a shell would look at. */
export function asQuestion(word: string): string {
  return `exai explain chat --args '${JSON.stringify({ prompt: word })}'`;
}
