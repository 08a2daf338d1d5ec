import { CallError } from '#core/call-error.ts';

/** What the daemon says of arguments of the tool `chat`, and how a chat says the same. In order. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/To begin anew, leave continuation_id out\./g, 'To begin anew: /new'],
  [/[Ll]eave continuation_id out to begin anew/g, 'Begin anew with /new'],
  [/^"(?:continuation_)?id" is not/g, 'That is not'],
  [/Leave model out to see all/g, 'exai models lists all'],
  [/raise max_output_tokens, or ask for the rest/g, 'ask for the rest'],
  [/\buse_websearch: true\b/g, '/web on'],
  [/"?\buse_websearch\b"?/g, '/web'],
  [
    /Have the client declare the project as a root \([^)]*\), or add/g,
    'Start the chat in the folder, or add',
  ],
];

/** A sentence about a message, with the commands that one can type. Never for an answer. */
export function chatWords(sentence: string): string {
  return WORDS.reduce((words, [tool, command]) => words.replaceAll(tool, command), sentence);
}

/** A failure on one line, with what to do about it. */
export function faultWords({ message, fix }: Pick<CallError, 'message' | 'fix'>): string {
  const stop = /[.!?…]$/.test(message) ? '' : '.';
  return chatWords(fix === undefined ? message : `${message}${stop} ${fix}`).replaceAll(
    /\s*\n\s*/g,
    ' ',
  );
}

/** What went wrong for a reason that was foreseen; throws what was not, so that its place is reported. */
export function foreseen(thrown: unknown): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'internal' && error.fix === undefined) throw thrown;
  return error;
}
