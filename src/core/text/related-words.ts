import { CHINESE_WORDS } from './chinese-words.ts';
import { allSubjects, stemsOf, type Subject } from './subjects/subjects.ts';

/** How much a word tells about another of its subject. */
interface SubjectShares {
  readonly nameForName: number;
  /** A word of a query, for a name of the subject that a document has. */
  readonly wordForName: number;
  readonly nameForWord: number;
  readonly wordForWord: number;
}

const CLOSE: SubjectShares = {
  nameForName: 1,
  wordForName: 0.8,
  nameForWord: 0.5,
  wordForWord: 0.3,
};
const WIDE: SubjectShares = {
  nameForName: 0.5,
  wordForName: 0.4,
  nameForWord: 0.3,
  wordForWord: 0.3,
};
const CHINESE_SHARE = 1.6;

export interface RelatedTerm {
  readonly term: string;
  /** 1: nearly the same. */
  readonly share: number;
}

const NONE: readonly RelatedTerm[] = [];
let table: ReadonlyMap<string, readonly RelatedTerm[]> | undefined;

/**
 * The terms of the subjects that a term belongs to, without the term itself; made at the first use. A
 * search for a word also finds what only has another of its subject, lower.
 */
export function relatedTerms(term: string): readonly RelatedTerm[] {
  table ??= createTable();
  return table.get(term) ?? NONE;
}

/** The terms of English words that mean the same, by pairs of Chinese characters. */
export function chineseTerms(): readonly (readonly [string, readonly string[]])[] {
  return CHINESE_WORDS.trim()
    .split(/\s+/)
    .map((entry) => {
      const [pair = '', english = ''] = entry.split('=');
      return [pair, stemsOf(english.replaceAll(',', ' '))] as const;
    });
}

function createTable(): ReadonlyMap<string, readonly RelatedTerm[]> {
  const shares = new Map<string, Map<string, number>>();
  const relate = (from: string, to: string, share: number) => {
    if (from === to) return;
    const known = shares.get(from) ?? new Map<string, number>();
    shares.set(from, known.set(to, Math.max(share, known.get(to) ?? 0)));
  };
  for (const subject of allSubjects()) relateWords(subject, relate);
  for (const [pair, terms] of chineseTerms()) {
    for (const term of terms) relate(pair, term, CHINESE_SHARE);
  }
  return new Map(
    [...shares].map(([from, to]) => [from, [...to].map(([term, share]) => ({ term, share }))]),
  );
}

function relateWords(
  { names, others, close }: Subject,
  relate: (from: string, to: string, share: number) => void,
): void {
  const { nameForName, nameForWord, wordForName, wordForWord } = close ? CLOSE : WIDE;
  for (const name of names) {
    for (const other of names) relate(name, other, nameForName);
    for (const other of others) {
      relate(name, other, nameForWord);
      relate(other, name, wordForName);
    }
  }
  for (const one of others) for (const other of others) relate(one, other, wordForWord);
}
