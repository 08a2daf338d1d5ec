import type { MarkClass, Marks } from './mark-class.ts';
import { markWords, type SentenceContext } from './marks.ts';
import type { ScanTheme } from '#core/messages/scan-themes.ts';
import type { Theme } from './theme.ts';
import { THEMES } from './theme-table.ts';
import type { Sentence, Word } from './sentences.ts';

/** The themes by the marks of their first part: most sentences have few of them. */
const BY_MARK = new Map<MarkClass, [ScanTheme, Theme][]>();
for (const [name, theme] of Object.entries(THEMES) as [ScanTheme, Theme][]) {
  for (const mark of theme.parts[0] ?? []) {
    const known = BY_MARK.get(mark);
    if (known) known.push([name, theme]);
    else BY_MARK.set(mark, [[name, theme]]);
  }
}
/** Words in front that may say that the rest is quoted, an example, or what is looked for. */
const ABOUT_REACH = 14;
const NEGATION_REACH = 4;
/** Of the words of a sentence that have a class: a sentence with more is a list. */
const MAX_POSITIONS = 64;

/** A sentence with what its words say one by one and together. */
export interface SentenceReading {
  readonly sentence: Sentence;
  readonly marks: Marks;
  readonly themes: readonly ScanTheme[];
}

export function readThemes(sentence: Sentence, context: SentenceContext): SentenceReading {
  const marks = markWords(sentence, context);
  return { sentence, marks, themes: findThemes(sentence, marks, context) };
}

function findThemes(sentence: Sentence, marks: Marks, context: SentenceContext): ScanTheme[] {
  const tried = new Set<ScanTheme>();
  const found: ScanTheme[] = [];
  for (const mark of marks.keys()) {
    for (const [name, theme] of BY_MARK.get(mark) ?? []) {
      if (tried.has(name)) continue;
      tried.add(name);
      if (isMeant(theme, marks, context) && isFound(sentence.words, marks, theme)) found.push(name);
    }
  }
  return found;
}

function isMeant(theme: Theme, marks: Marks, { purposes }: SentenceContext): boolean {
  const isItsPurpose = theme.purposes?.some((purpose) => purposes.has(purpose)) === true;
  return !isItsPurpose && theme.except?.some((mark) => marks.has(mark)) !== true;
}

function isFound(words: readonly Word[], marks: Marks, theme: Theme): boolean {
  const [first = [], ...others] = theme.parts;
  if (!theme.parts.every((part) => part.some((mark) => marks.has(mark)))) return false;
  // What concerns the whole definition is nowhere.
  const nearby = others
    .filter((part) => !part.includes('inSchema') && !part.includes('pureTool'))
    .map((part) => positionsOf(marks, part));
  for (const at of positionsOf(marks, first)) {
    const places = [at];
    const isNear = nearby.every((positions) => {
      const near = positions.find(
        (other) =>
          other !== at &&
          Math.abs(other - at) <= theme.within &&
          (theme.isOrdered !== true || other > at),
      );
      if (near === undefined) return false;
      places.push(near);
      return true;
    });
    if (!isNear) continue;
    const start = Math.min(...places);
    const isNegated = hasNot(words, start, at);
    if (theme.isNegative === true && !isNegated) continue;
    const isDenied = isNegated || places.some((place) => isNot(words, place - 1));
    if (theme.isNegative !== true && theme.isEither !== true && isDenied) continue;
    const last = Math.max(...places);
    if (!isQuoted(words, places) && !isDescribed(words, start, last)) return true;
  }
  return false;
}

/** A text quotes what it is about; orders are given in its own words. */
function isQuoted(words: readonly Word[], places: readonly number[]): boolean {
  return places.length > 1 && places.every((at) => words[at]?.isQuoted === true);
}

function isNot(words: readonly Word[], at: number): boolean {
  return words[at]?.classes.has('not') === true;
}

function positionsOf(marks: Marks, part: readonly MarkClass[]): readonly number[] {
  return part.flatMap((mark) => marks.get(mark) ?? []).slice(0, MAX_POSITIONS);
}

function hasNot(words: readonly Word[], start: number, at: number): boolean {
  // In Japanese, Korean and Turkish the negation comes last.
  const end = words[at]?.isForeign === true ? at + NEGATION_REACH : Math.max(start, at);
  for (let before = Math.max(0, start - NEGATION_REACH); before <= end; before++) {
    if (words[before]?.classes.has('not')) return true;
  }
  return false;
}

/** Whether a phrase is what the sentence is about, such as "detects prompts that ignore …". */
function isDescribed(words: readonly Word[], start: number, last: number): boolean {
  for (let at = last; at >= Math.max(0, start - ABOUT_REACH); at--) {
    const word = words[at];
    if (word?.classes.has('about')) return true;
    if (at < start && word?.classes.has('turn')) return false;
  }
  return false;
}
