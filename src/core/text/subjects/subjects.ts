import { stemEnglish } from '../stem-english.ts';
import { CLOSE_SUBJECTS } from './close-subjects.ts';
import { COMMERCE_AND_WORK } from './commerce-and-work.ts';
import { COMPUTING } from './computing.ts';
import { DAILY_LIFE } from './daily-life.ts';
import { HOME_AND_SELF } from './home-and-self.ts';
import { KNOWLEDGE_AND_MEDIA } from './knowledge-and-media.ts';

/**
 * A subject that tools are about: the terms of its names, then of words that belong to it. A line of
 * the texts beside this file is one; they are written from general knowledge of what tools are about,
 * and a word may be in several.
 */
export interface Subject {
  readonly names: readonly string[];
  readonly others: readonly string[];
  /** Whether its words tell much about each other. */
  readonly close: boolean;
}

const WIDE_SUBJECTS = [
  DAILY_LIFE,
  COMMERCE_AND_WORK,
  KNOWLEDGE_AND_MEDIA,
  COMPUTING,
  HOME_AND_SELF,
];

let subjects: readonly Subject[] | undefined;
let words: ReadonlySet<string> | undefined;

/** Made at the first use. */
export function allSubjects(): readonly Subject[] {
  subjects ??= [
    ...subjectsOf(CLOSE_SUBJECTS, true),
    ...WIDE_SUBJECTS.flatMap((text) => subjectsOf(text, false)),
  ];
  return subjects;
}

/** Whether a folded word is in a close subject as it is, so that names without separators can be cut. */
export function isKnownWord(word: string): boolean {
  words ??= new Set(CLOSE_SUBJECTS.split(/[\s|]+/));
  return words.has(word);
}

function subjectsOf(text: string, close: boolean): Subject[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [names = [], others = []] = line.split('|').map(stemsOf);
      return { names, others, close };
    });
}

/** The distinct stems of words that spaces separate. */
export function stemsOf(text: string): string[] {
  return [...new Set(text.trim().split(/\s+/).map(stemEnglish))];
}
