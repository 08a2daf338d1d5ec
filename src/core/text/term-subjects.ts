import { chineseTerms } from './related-words.ts';
import { allSubjects } from './subjects/subjects.ts';

/** The subjects of a term, by their number. */
export interface TermSubjects {
  readonly subjects: readonly number[];
  /** How much it tells about each of them: less the more there are. */
  readonly share: number;
}

/** A word of many subjects says less about each. */
const AMBIGUITY_POWER = 0.25;

let table: ReadonlyMap<string, TermSubjects> | undefined;

/** The subjects that a term belongs to; undefined for none. Made at the first use. */
export function subjectsOfTerm(term: string): TermSubjects | undefined {
  table ??= createTable();
  return table.get(term);
}

export function countSubjects(): number {
  return allSubjects().length;
}

function createTable(): ReadonlyMap<string, TermSubjects> {
  const numbers = new Map<string, Set<number>>();
  const add = (term: string, number: number) => {
    numbers.set(term, (numbers.get(term) ?? new Set<number>()).add(number));
  };
  for (const [number, { names, others }] of allSubjects().entries()) {
    for (const term of [...names, ...others]) add(term, number);
  }
  for (const [pair, terms] of chineseTerms()) {
    for (const number of terms.flatMap((term) => [...(numbers.get(term) ?? [])])) add(pair, number);
  }
  return new Map(
    [...numbers].map(([term, own]) => [
      term,
      { subjects: [...own], share: own.size ** -AMBIGUITY_POWER },
    ]),
  );
}
