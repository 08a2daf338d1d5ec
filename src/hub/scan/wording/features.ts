import type { Marks } from '../themes/mark-class.ts';
import type { SentenceReading } from '../themes/read-themes.ts';
import type { Word } from '../themes/sentences.ts';

/** What the wording of a definition is judged by. Strings, so that the file of weights can be read. */
export type Features = ReadonlySet<string>;

export interface NameContext {
  /** Whether it is a tool or an argument of the server itself. */
  readonly isOwn: (name: string) => boolean;
  readonly isPeerTool: (name: string) => boolean;
}

/** Classes of words further apart say little of each other. */
const NEAR_WORDS = 8;
/** Of a class that many words of a sentence have. */
const MAX_PLACES = 4;
/** A longer sentence is a list, or data. */
const MAX_WORDS = 400;
const STEM = /(?:ing|ed|es|s|ly)$/;
const MIN_STEMMED_CHARS = 5;
const MIN_PART_CHARS = 3;
const MAX_PART_CHARS = 20;
const SIGNS = /[§:|+]/;
const ADDRESS = /^https?:|@.*\.|\//;
const NAME_PARTS = /[_\-.]|(?<=[a-z])(?=[A-Z])/;

/** The themes of a sentence, the classes of its words and those near each other, and runs of up to three words. */
export function featuresOfSentence(
  { sentence, marks, themes }: SentenceReading,
  names: NameContext,
): Features {
  const features = new Set<string>();
  for (const theme of themes) features.add(`theme:${theme}`);
  addClasses(features, marks);
  addRuns(features, sentence.words.slice(0, MAX_WORDS), names);
  return features;
}

/** The parts of a name: `tool:send` of the tool `send_mail`, `name:ssh` of the argument `ssh_key`. */
export function featuresOfName(name: string, kind: 'tool' | 'name'): Features {
  const features = new Set<string>();
  for (const part of name.split(NAME_PARTS)) {
    if (part.length >= MIN_PART_CHARS && part.length < MAX_PART_CHARS)
      features.add(`${kind}:${part.toLowerCase()}`);
  }
  return features;
}

function addClasses(features: Set<string>, marks: Marks): void {
  const classes = [...marks].filter(([mark]) => mark !== 'inSchema');
  for (const [mark, places] of classes) {
    features.add(`class:${mark}`);
    for (const [other, others] of classes) {
      if (mark < other && isNear(places, others)) features.add(`near:${mark}+${other}`);
    }
  }
}

function isNear(places: readonly number[], others: readonly number[]): boolean {
  let isSame = false;
  let isFound = false;
  for (const at of places.slice(0, MAX_PLACES)) {
    for (const other of others.slice(0, MAX_PLACES)) {
      if (at === other) isSame = true;
      else if (Math.abs(at - other) <= NEAR_WORDS) isFound = true;
    }
  }
  return isFound && !isSame;
}

function addRuns(features: Set<string>, words: readonly Word[], names: NameContext): void {
  const texts = words.map((word) => textOf(word, names));
  for (const [at, text] of texts.entries()) {
    const next = texts[at + 1];
    const third = texts[at + 2];
    features.add(at === 0 ? `first:${text}` : text);
    if (at === 0) features.add(text);
    if (next !== undefined) features.add(`${text} ${next}`);
    if (third === undefined) continue;
    features.add(`${text} ${next} ${third}`);
    features.add(`${text} _ ${third}`);
  }
}

/** A word without its ending; names, addresses and numbers by their kind. */
function textOf({ text, raw, name }: Word, names: NameContext): string {
  if (name !== undefined) {
    if (names.isOwn(raw) || names.isOwn(name)) return '§own';
    return names.isPeerTool(raw) || names.isPeerTool(name) ? '§peer' : '§name';
  }
  if (ADDRESS.test(text)) return '§address';
  if (/\d/.test(text)) return '0';
  // Signs that features and the file of weights are written with.
  if (SIGNS.test(text)) return '§sign';
  return text.length >= MIN_STEMMED_CHARS ? text.replace(STEM, '') : text;
}
