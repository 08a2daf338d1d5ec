import { countSubjects, subjectsOfTerm } from '#core/text/term-subjects.ts';
import type { DocumentTerms } from './document-terms.ts';

/** How much a tool gains that is about the same subjects as the query. */
const SUBJECT_SHARE = 1.2;
/** Of a term in a tool's name, where one of its description counts 1. */
const NAME_WEIGHT = 5;
/** By how much each further term of a description counts less: it begins with the purpose. */
const LATER_SHARE = 0.1;

/** Adds up of which subjects some terms are. */
interface SubjectSum {
  add(term: string, weight: number): void;
  /** The length of the vector of subjects. */
  length(): number;
  shareOf(subject: number): number;
  subjects(): readonly number[];
  clear(): void;
}

function createSum(): SubjectSum {
  // Made with the first term: a daemon that starts compares nothing yet.
  let shares = new Float64Array(0);
  let touched: number[] = [];
  return {
    add(term, weight) {
      const own = subjectsOfTerm(term);
      if (!own || weight === 0) return;
      if (shares.length === 0) shares = new Float64Array(countSubjects());
      for (const subject of own.subjects) {
        if (shares[subject] === 0) touched.push(subject);
        shares[subject] = (shares[subject] ?? 0) + weight * own.share;
      }
    },
    length: () => Math.sqrt(touched.reduce((sum, each) => sum + (shares[each] ?? 0) ** 2, 0)),
    shareOf: (subject) => shares[subject] ?? 0,
    subjects: () => touched,
    clear() {
      for (const each of touched) shares[each] = 0;
      touched = [];
    },
  };
}

/** Compares what queries and tools are about, also where they have no word in common. */
export function createSubjectMatch() {
  const asked = createSum();
  const own = createSum();
  let askedLength = 0;
  return {
    /** Begins a query, of terms and how much each tells. */
    begin(terms: Iterable<readonly [string, number]>): void {
      asked.clear();
      for (const [term, weight] of terms) asked.add(term, weight);
      askedLength = asked.length();
    },
    /** By how much the subjects of a tool raise its score. */
    shareOf({ name, description }: DocumentTerms, rarityOf: (term: string) => number): number {
      if (askedLength === 0) return 1;
      const inName = new Set(name);
      for (const term of name) own.add(term, NAME_WEIGHT * rarityOf(term));
      for (const [place, term] of description.entries()) {
        if (!inName.has(term)) own.add(term, rarityOf(term) / (1 + (place + 1) * LATER_SHARE));
      }
      let product = 0;
      for (const subject of own.subjects()) {
        product += own.shareOf(subject) * asked.shareOf(subject);
      }
      const length = own.length();
      own.clear();
      return length === 0 ? 1 : 1 + (SUBJECT_SHARE * product) / (length * askedLength);
    },
  };
}
