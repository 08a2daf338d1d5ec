import type { Renderer } from './coded-message.ts';
import type { Reason } from './reasons.ts';

const ENDS_OF_SENTENCES: readonly (string | undefined)[] = ['.', '!', '?', '…'];

/** Makes a clause a whole sentence; whole sentences stay unchanged. */
export function asSentence(clause: string): string {
  return ENDS_OF_SENTENCES.includes(clause.at(-1)) ? clause : `${clause}.`;
}

/** A sentence as a clause, to be continued by other text. */
export function asClause(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

/** Reasons as sentences in one line. */
export function joinSentences(
  reasons: readonly Reason[],
  render: Pick<Renderer, 'reason'>,
): string {
  return reasons.map((each) => asSentence(render.reason(each))).join(' ');
}

/** Names as a list within a sentence: `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
