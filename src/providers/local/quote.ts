import { oneLine } from '#core/one-line.ts';
import { sentencesOf } from './passages.ts';
import type { Found } from './rank.ts';
import { eachWord } from './words.ts';

const MAX_QUOTE_CHARS = 320;

/** The part of a passage that has most to do with the question: whole sentences, as many as fit. */
export function quoteOf({ source, from, to }: Found, terms: readonly number[]): string {
  const sentences = sentencesOf(source.text.slice(from, to));
  const wanted = new Set(terms);
  // Among sentences that say equally much about the question, titles and scraps come last.
  const counts = sentences.map(
    (sentence) =>
      countOf(sentence, wanted) * MAX_QUOTE_CHARS + Math.min(sentence.length, MAX_QUOTE_CHARS - 1),
  );
  let first = counts.indexOf(Math.max(...counts));
  let last = first;
  let length = sentences[first]?.length ?? 0;
  const fits = (index: number) =>
    index >= 0 &&
    index < sentences.length &&
    length + (sentences[index]?.length ?? 0) <= MAX_QUOTE_CHARS;
  // What comes after explains more often than what came before.
  for (;;) {
    if (fits(last + 1)) length += sentences[(last += 1)]?.length ?? 0;
    else if (fits(first - 1)) length += sentences[(first -= 1)]?.length ?? 0;
    else break;
  }
  const whole = sentences.slice(first, last + 1).join(' ');
  return oneLine(whole.replaceAll(/\s+/g, ' ').trim(), MAX_QUOTE_CHARS).toWellFormed();
}

function countOf(sentence: string, wanted: ReadonlySet<number>): number {
  const found = new Set<number>();
  eachWord(sentence, 0, sentence.length, (hash) => {
    if (wanted.has(hash)) found.add(hash);
  });
  return found.size;
}
