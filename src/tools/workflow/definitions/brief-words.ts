import { SEVERITIES, type Severity } from '../finding.ts';

/** A caller's words inside our sentence: in quotes that they cannot close. */
export function quoted(words: string): string {
  return JSON.stringify(words.trim());
}

/** One sentence around what the caller said, or none where it said nothing. */
export function saying(before: string, words: string | undefined): readonly string[] {
  return words === undefined || words.trim() === '' ? [] : [`${before}: ${quoted(words)}.`];
}

/** The same for several. */
export function naming(before: string, list: readonly string[] | undefined): readonly string[] {
  const said = (list ?? []).filter((words) => words.trim() !== '');
  return said.length === 0 ? [] : [`${before}: ${said.map(quoted).join(', ')}.`];
}

export function reportFrom(filter: Severity | 'all'): readonly string[] {
  if (filter === 'all' || filter === SEVERITIES.at(-1)) return [];
  if (filter === SEVERITIES[0]) return ['Report critical findings alone.'];
  return [`Report findings of severity ${filter} and above, and none below.`];
}
