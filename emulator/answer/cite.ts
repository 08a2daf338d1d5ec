import type { QuestionMessage } from './question.ts';

export interface Passage {
  readonly where: string;
  readonly sentence: string;
  /** Of a file, not of what a message says. */
  readonly isFile: boolean;
  /** As citations name it, such as ` p. 3` or `:12`. */
  readonly place?: string;
}

/** A comment that begins a page, a slide, a sheet or a section. */
const PLACE = /^<!-- (page|slide|sheet|section) (.{1,200}?) -->$/;
const NUMBERED = /^\s*(\d{1,9})\| ?/;
/** An example of a citation with a place, in the instructions of the system. */
const EXAMPLE = /\[[^\s[\]]{1,100} p\. \d+: "[^"\n]{1,200}"\]/;
const MAX_WORDS = 12;

/** The place of a line, as citations name it: of the comment before it, or the number that it begins with. */
export function placeOf(text: string, line: number): string | undefined {
  const lines = text.split('\n').slice(0, line + 1);
  const [, number] = NUMBERED.exec(lines.at(-1) ?? '') ?? [];
  if (number !== undefined) return `:${number}`;
  for (const each of lines.toReversed()) {
    const [, kind, name = ''] = PLACE.exec(each) ?? [];
    if (kind === undefined) continue;
    if (kind === 'page') return ` p. ${name}`;
    return kind === 'sheet' ? ` ${name}` : ` ${kind} ${name.split(':', 1)[0]}`;
  }
  return undefined;
}

/** Whether the system asks for citations with places. */
export function asksForCitations(messages: readonly QuestionMessage[]): boolean {
  return messages.some(({ role, text }) => role === 'system' && EXAMPLE.test(text));
}

/** The sentence with its citation; none for a passage without a place. */
export function cite({ where, place, sentence }: Passage): string | undefined {
  if (place === undefined) return undefined;
  const own = sentence.replace(NUMBERED, '').replaceAll('"', '');
  const words = own.split(/\s+/).slice(0, MAX_WORDS).join(' ');
  return `${own} [${where}${place}: "${words}"]`;
}
