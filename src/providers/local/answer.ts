import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Extract, Looked } from './extract.ts';
import { quoteOf } from './quote.ts';

/**
 * Said first, whatever follows: nobody is to take this for a model's answer. Why none gave one is not known here, be it a key, a
 * fault, a length or a wish; whoever asked tells that beside it.
 */
export const NO_MODEL = 'No model answered this; it only quotes what was given, word for word.';

export interface LocalAnswer {
  /** In paragraphs, as they are told. */
  readonly pieces: readonly string[];
  readonly finish: 'stop' | 'length';
  /** How many passages of what was given are among them. */
  readonly quoted: number;
}

/** Puts together what was found, as far as the limit goes; the first sentence is always said. */
export function writeAnswer(extract: Extract, maxTokens: number): LocalAnswer {
  const pieces = [NO_MODEL];
  const seen = extract.by === 'nothing' ? [] : [lookedAt(extract)];
  const quotations = quotes(extract);
  const rest = [lead(extract), ...quotations, ...seen];
  const quotedIn = (count: number) => Math.max(0, Math.min(count - 1, quotations.length));
  let tokens = estimateTokens(NO_MODEL);
  for (const [count, piece] of rest.entries()) {
    const text = `\n\n${piece}`;
    tokens += estimateTokens(text);
    if (tokens > maxTokens) return { pieces, finish: 'length', quoted: quotedIn(count) };
    pieces.push(text);
  }
  return { pieces, finish: 'stop', quoted: quotations.length };
}

function lead({ by, found }: Extract): string {
  const count = found.length === 1 ? 'passage' : `${found.length} passages`;
  const best = `${count} that ${found.length === 1 ? 'stands' : 'stand'} best`;
  switch (by) {
    case 'question':
      return `The ${count} of your texts with most of the words of your question:`;
    case 'summary':
      return `The ${best} for your texts as a whole:`;
    case 'no_match':
      return `None of the words of your question is in your texts. The ${best} for them as a whole:`;
    case 'nothing':
      return 'Nothing was given besides your question, so there is nothing to quote.';
  }
}

function quotes({ found, terms }: Extract): readonly string[] {
  return found.map(
    (each, index) => `[${index + 1}] “${quoteOf(each, terms)}” — ${each.source.label}`,
  );
}

function lookedAt({ by, hits, looked }: Extract): string {
  const { chars, allChars } = looked;
  const seen = [some(looked.files, 'file'), some(looked.messages, 'message')].filter(Boolean);
  const matches = by === 'question' ? ` ${some(hits, 'passage')} had a word of the question.` : '';
  const part =
    chars < allChars
      ? `, which is ${number(chars)} of ${number(allChars)} characters: the rest was not looked at`
      : `, ${some(chars, 'character')}, all of it`;
  return `Looked at: ${seen.join(' and ')}${part}.${matches}`;
}

function some(count: Looked['files'], what: string): string {
  return count === 0 ? '' : `${number(count)} ${what}${count === 1 ? '' : 's'}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
