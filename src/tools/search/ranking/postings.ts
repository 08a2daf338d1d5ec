import { wordRoot } from '#core/text/word-root.ts';

/** The tools that have a term, and how much they are about it. */
interface Posting {
  rows: Uint32Array;
  shares: Float32Array;
  /** Entries in use, also of removed rows. */
  length: number;
  /** Entries of rows that are not removed. */
  having: number;
}

const NONE = { rows: new Uint32Array(0), length: 0 };
const FIRST_SIZE = 4;
/** Removed rows are kept until there are as many, and at least these. */
const MIN_REMOVED = 256;

/** Postings in memory. A removed row stays in them, unseen, until `compact`. */
export function createPostings() {
  const byTerm = new Map<string, Posting>();
  const byRoot = new Map<string, Set<string>>();
  /** The postings of each row; undefined for a removed one. */
  let rowPostings: (readonly Posting[] | undefined)[] = [];
  let removed = 0;

  function addTo(posting: Posting, row: number, share: number): void {
    if (posting.length === posting.rows.length) {
      const rows = new Uint32Array(posting.length * 2);
      const shares = new Float32Array(posting.length * 2);
      rows.set(posting.rows);
      shares.set(posting.shares);
      posting.rows = rows;
      posting.shares = shares;
    }
    posting.rows[posting.length] = row;
    posting.shares[posting.length] = share;
    posting.length += 1;
    posting.having += 1;
  }

  function forget(term: string): void {
    byTerm.delete(term);
    const root = wordRoot(term);
    const terms = byRoot.get(root);
    terms?.delete(term);
    if (terms?.size === 0) byRoot.delete(root);
  }

  function postingOf(term: string): Posting {
    const known = byTerm.get(term);
    if (known) return known;
    const rows = new Uint32Array(FIRST_SIZE);
    const posting = { rows, shares: new Float32Array(FIRST_SIZE), length: 0, having: 0 };
    byTerm.set(term, posting);
    const root = wordRoot(term);
    byRoot.set(root, (byRoot.get(root) ?? new Set<string>()).add(term));
    return posting;
  }

  return {
    /** Adds a row after those that there are; returns what adds each of its terms, once. */
    addRow(row: number): (term: string, share: number) => void {
      const own: Posting[] = [];
      rowPostings[row] = own;
      return (term, share) => {
        const posting = postingOf(term);
        addTo(posting, row, share);
        own.push(posting);
      };
    },
    remove(row: number): void {
      for (const posting of rowPostings[row] ?? []) posting.having -= 1;
      rowPostings[row] = undefined;
      removed += 1;
    },
    /** How many rows have a term. */
    having: (term: string): number => byTerm.get(term)?.having ?? 0,
    /** Whether a row that is not removed has a term. */
    has: (term: string, row: number): boolean => {
      const { rows, length } = byTerm.get(term) ?? NONE;
      let [low, high] = [0, length - 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((rows[middle] ?? 0) < row) low = middle + 1;
        else high = middle;
      }
      return length > 0 && rows[low] === row;
    },
    /** Other terms that have the root of a term. */
    derivedFrom: (term: string): readonly string[] =>
      [...(byRoot.get(wordRoot(term)) ?? [])].filter((each) => each !== term),
    each(term: string, visit: (row: number, share: number) => void): void {
      const posting = byTerm.get(term);
      if (!posting) return;
      const { rows, shares, length } = posting;
      for (let at = 0; at < length; at += 1) {
        const row = rows[at] ?? 0;
        if (rowPostings[row]) visit(row, shares[at] ?? 0);
      }
    },
    /**
     * Forgets removed rows once there are many, and numbers the others again: returns their old
     * numbers, in order.
     */
    compact(): readonly number[] | undefined {
      if (removed < MIN_REMOVED || removed * 2 < rowPostings.length) return undefined;
      const old = [...rowPostings.keys()].filter((row) => rowPostings[row]);
      const now = new Map(old.map((from, at) => [from, at]));
      for (const [term, posting] of byTerm) {
        let length = 0;
        for (let at = 0; at < posting.length; at += 1) {
          const row = now.get(posting.rows[at] ?? 0);
          if (row === undefined) continue;
          posting.rows[length] = row;
          posting.shares[length] = posting.shares[at] ?? 0;
          length += 1;
        }
        posting.length = length;
        if (length === 0) forget(term);
      }
      rowPostings = old.map((from) => rowPostings[from]);
      removed = 0;
      return old;
    },
  };
}
