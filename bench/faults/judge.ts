import type { Received } from './listen.ts';
import type { Understood } from './read-received.ts';
import { STORY, TOKENS, tokensOf } from './story.ts';

export interface Verdict {
  readonly is: 'good' | 'bad';
  readonly words: string;
}

/** One client's luck: what it got, what it makes of it, and how often each vendor was asked. */
export interface Luck {
  readonly heard: Received;
  readonly understood: Understood;
  readonly asked: { readonly first: number; readonly backup: number };
}

const good = (words: string): Verdict => ({ is: 'good', words });
const bad = (words: string): Verdict => ({ is: 'bad', words });

/**
 * Good is the whole answer, once; or, of a stream that broke when part of it had been told, that
 * part and an error which nobody takes for an end. The backup is well, so that an error instead of
 * any answer is bad.
 */
export function judge(luck: Luck): Verdict {
  const { heard, understood, asked } = luck;
  const { text, isEnded, error, isBroken } = understood;
  const tokens = tokensOf(text);
  const some = `${tokens} of ${TOKENS.length} tokens`;
  const untried = asked.backup === 0 ? ', the backup was not tried' : '';
  if (asked.first === 0) return bad('the first vendor was not asked: nothing is known');
  if (heard.ended === 'not at all') return bad(`${some}, then it hangs (${seconds(heard)})`);
  if (heard.status >= 400 || heard.status === 0) {
    return bad(`${heard.status === 0 ? 'cut without a head' : `HTTP ${heard.status}`}${untried}`);
  }
  if (isBroken) return bad(`${some}; what is no JSON is passed on`);
  if (!STORY.startsWith(text)) return bad(wrongText(luck));
  if (error !== undefined) return judgeError(luck, tokens, some, untried);
  if (heard.ended === 'cut') return bad(`${some}, then the connection is cut`);
  if (text === STORY && isEnded) return good(whoAnswered(luck));
  if (isEnded && text === '') return bad('looks complete, but is empty');
  if (isEnded) return bad(`looks complete, but is cut: ${some}`);
  return bad(`${some}, then an end without an error`);
}

function judgeError({ understood }: Luck, tokens: number, some: string, untried: string): Verdict {
  if (understood.isEnded) return bad(`${some} and an error, then the end of a whole answer`);
  if (tokens === 0) return bad(`the error is passed on${untried}`);
  return good(`${some} and the error \`${understood.error}\``);
}

/** Something was left out, or said twice. */
function wrongText({ understood: { text, notices } }: Luck): string {
  const isShort = text.length < STORY.length;
  const how = isShort ? 'a piece is missing within the text' : 'a piece of the text is told twice';
  return notices.length > 0 ? `${how} (a notice: ${notices.join(' ')})` : how;
}

function whoAnswered({ heard, understood, asked }: Luck): string {
  if (asked.backup === 0) return `the first vendor answers whole (${seconds(heard)})`;
  if (understood.seams > 0) return `whole text, continued with a seam (${seconds(heard)})`;
  return `the backup answers (${seconds(heard)})`;
}

const seconds = ({ afterMs }: Received): string => `${(afterMs / 1000).toFixed(1)} s`;
