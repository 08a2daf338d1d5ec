import { SEVERITIES, type Severity } from '../findings.ts';

/** A caller's text inside one of our sentences, as a JSON string it cannot close. */
export function quoteText(words: string): string {
  return JSON.stringify(words.trim());
}

/** A sentence with a quoted text; none for an empty text. */
export function quoteSentence(before: string, words: string | undefined): readonly string[] {
  return words === undefined || words.trim() === '' ? [] : [`${before}: ${quoteText(words)}.`];
}

/** A sentence with several quoted texts. */
export function quoteListSentence(
  before: string,
  list: readonly string[] | undefined,
): readonly string[] {
  const texts = (list ?? []).filter((words) => words.trim() !== '');
  return texts.length === 0 ? [] : [`${before}: ${texts.map(quoteText).join(', ')}.`];
}

export function reportFrom(filter: Severity | 'all'): readonly string[] {
  if (filter === 'all' || filter === SEVERITIES.at(-1)) return [];
  if (filter === SEVERITIES[0]) return ['Report critical findings alone.'];
  return [`Report findings of severity ${filter} and above, and none below.`];
}
