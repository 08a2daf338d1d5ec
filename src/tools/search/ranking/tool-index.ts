import { inverseDocumentFrequency } from '#core/text/bm25.ts';
import { commonWordShare } from '#core/text/common-words.ts';
import { relatedTerms } from '#core/text/related-words.ts';
import { queryTerms, searchTerms, type QueryTerm } from '#core/text/search-terms.ts';
import { stemEnglish } from '#core/text/stem-english.ts';
import { QUERY_STOP_WORDS, REQUEST_WORDS } from '#core/text/stop-words.ts';
import { createDocumentReader, pairDigest, type DocumentTerms } from './document-terms.ts';
import { isWeakMatch, STRONGEST } from './is-weak-match.ts';
import { matchShare } from './match-share.ts';
import { createPostings } from './postings.ts';
import { raiseSiblings } from './raise-siblings.ts';
import { createSubjectMatch } from './subject-match.ts';
import type { ToolDocument } from './tool-document.ts';
import { createBestList, type RankedRow } from './best-list.ts';

export interface FoundTool {
  readonly name: string;
  readonly score: number;
  /** No tool that was found with it matches well. */
  readonly isWeak: boolean;
}

export interface ToolSearchOptions {
  readonly limit: number;
  /** Whether a tool may be found; asked only about tools that would be among the best. */
  readonly accepts?: (name: string) => boolean;
  /** Terms with which a caller found and called tools before: by term, how much by name. */
  readonly learnt?: (term: string) => ReadonlyMap<string, number> | undefined;
}

/** An index of tools in memory. Each change costs what the changed tool does. */
export interface ToolIndex {
  /** Adds a tool, or replaces that of the name. */
  put(name: string, document: ToolDocument): void;
  remove(name: string): void;
  /** The tools that fit a text, best first. */
  search(text: string, options: ToolSearchOptions): readonly FoundTool[];
  readonly size: number;
}

/** Words of requests, such as `find` and `recommend`, tell less than others. */
const REQUEST_SHARE = 0.5;
/** Of the score, where a tool has only a word of the same subject. */
const RELATED_SHARE = 0.7;
/** Of the score, where a tool has only a word derived from the same one. */
const DERIVED_SHARE = 0.9;
/** Of a term of the query, where a tool's own words have only one of the same subject. */
const NEAR_SHARE = 0.35;
/** For each pair of terms that follow each other in both texts. */
const PAIR_SHARE = 0.3;
const PAIRS_OF_BEST = 50;
/** A chat with tools searches with its whole prompt; what it is about is said at its beginning. */
const MAX_TEXT_CHARS = 4_000;

/** Numbers and single letters are values of arguments, not what a tool is about. */
const VALUE_SHARE = 0.1;
const VALUE = /^(?:\p{N}+|[a-z])$/u;

const REQUEST_TERMS: ReadonlySet<string> = new Set([...REQUEST_WORDS].map(stemEnglish));

export function createToolIndex(): ToolIndex {
  const postings = createPostings();
  const read = createDocumentReader();
  const rows = new Map<string, number>();
  let names: (string | undefined)[] = [];
  let documents: (DocumentTerms | undefined)[] = [];
  let scores = new Float64Array(64);
  /** The best of a term and its related terms, by row. */
  let best = new Float64Array(64);
  let touched: number[] = [];
  const subjects = createSubjectMatch();

  function grow(): void {
    if (names.length <= scores.length) return;
    const size = Math.max(names.length, scores.length * 2);
    scores = new Float64Array(size);
    best = new Float64Array(size);
  }

  function remove(name: string): void {
    const row = rows.get(name);
    if (row === undefined) return;
    rows.delete(name);
    names[row] = undefined;
    documents[row] = undefined;
    postings.remove(row);
    const moved = postings.compact();
    if (!moved) return;
    names = moved.map((from) => names[from]);
    documents = moved.map((from) => documents[from]);
    rows.clear();
    for (const [at, each] of names.entries()) if (each !== undefined) rows.set(each, at);
  }

  /** By how many tools have a term, for an index of the size beside it. */
  let rarities: number[] = [];
  let raritiesSize = 0;

  function rarityOf(having: number): number {
    if (raritiesSize !== rows.size) rarities = [];
    raritiesSize = rows.size;
    return (rarities[having] ??= inverseDocumentFrequency(rows.size, having));
  }

  /** Raises what has a word near to a term, by at most what that word tells. */
  function addNear(
    near: string,
    share: number,
    rarity: number,
    raise: (row: number, value: number) => void,
  ): void {
    const having = postings.having(near);
    if (having === 0) return;
    const limit = Math.min(rarity, rarityOf(having)) * share;
    postings.each(near, (row, value) => raise(row, limit * value));
  }

  function addTerm(
    term: string,
    weight: number,
    own: ReadonlySet<string>,
    options: ToolSearchOptions,
  ): void {
    const rarity = rarityOf(postings.having(term));
    const reached: number[] = [];
    const raise = (row: number, value: number) => {
      const before = best[row] ?? 0;
      if (before === 0) reached.push(row);
      if (value > before) best[row] = value;
    };
    postings.each(term, (row, share) => raise(row, rarity * share));
    if (!REQUEST_TERMS.has(term)) {
      for (const { term: related, share: near } of relatedTerms(term)) {
        if (!own.has(related)) addNear(related, near * RELATED_SHARE, rarity, raise);
      }
      for (const derived of postings.derivedFrom(term)) {
        if (!own.has(derived)) addNear(derived, DERIVED_SHARE, rarity, raise);
      }
    }
    for (const [name, share] of options.learnt?.(term) ?? []) {
      const row = rows.get(name);
      if (row !== undefined) raise(row, rarity * share);
    }
    for (const row of reached) {
      const value = best[row] ?? 0;
      best[row] = 0;
      if ((scores[row] ?? 0) === 0) touched.push(row);
      scores[row] = (scores[row] ?? 0) + weight * value;
    }
  }

  /** Raises tools of whose own words the query has many: they are about little else. */
  function refine(query: readonly QueryTerm[], found: readonly RankedRow[]): void {
    const near = new Map<string, number>();
    for (const { term } of query) {
      if (REQUEST_TERMS.has(term)) continue;
      for (const { term: related, share } of relatedTerms(term)) {
        near.set(related, Math.max(near.get(related) ?? 0, Math.min(1, share * NEAR_SHARE)));
      }
    }
    for (const { term } of query) near.set(term, 1);
    const rarity = (term: string) => rarityOf(postings.having(term));
    const subjectRarity = (term: string) => (REQUEST_TERMS.has(term) ? 0 : rarity(term));
    subjects.begin(
      query.map(({ term, weight }) => {
        const tells = VALUE.test(term) ? 0 : weight * commonWordShare(term);
        return [term, tells * subjectRarity(term)];
      }),
    );
    for (const each of found) {
      const document = documents[each.row];
      if (!document) continue;
      each.score *= matchShare(document, near, rarity) * subjects.shareOf(document, subjectRarity);
    }
  }

  function addPairs(text: string, found: readonly RankedRow[]): void {
    const terms = searchTerms(text);
    for (const [at, term] of terms.entries()) {
      const before = terms[at - 1];
      if (before === undefined || (QUERY_STOP_WORDS.has(before) && QUERY_STOP_WORDS.has(term)))
        continue;
      const digest = pairDigest(before, term);
      const gain = PAIR_SHARE * rarityOf(postings.having(term));
      for (const each of found) if (documents[each.row]?.pairs.includes(digest)) each.score += gain;
    }
  }

  function isWeakSearch(
    query: readonly QueryTerm[],
    found: readonly { readonly row: number; readonly name: string }[],
    { learnt }: ToolSearchOptions,
  ): boolean {
    const [best] = found;
    if (!best) return false;
    const document = documents[best.row];
    return isWeakMatch(
      query.filter(({ term }) => !REQUEST_TERMS.has(term) && !VALUE.test(term)),
      {
        rows: found.slice(0, STRONGEST).map(({ row }) => row),
        named: new Set([...(document?.name ?? []), ...searchTerms(document?.server ?? '')]),
        isLearnt: (term) => learnt?.(term)?.has(best.name) === true,
        derivedFrom: postings.derivedFrom,
        has: postings.has,
        having: postings.having,
        rarityOf,
      },
    );
  }

  return {
    put(name, document) {
      remove(name);
      const row = names.length;
      names.push(name);
      documents.push(read(document, postings.addRow(row)));
      rows.set(name, row);
      grow();
    },
    remove,
    search(whole, options) {
      const text = whole.slice(0, MAX_TEXT_CHARS);
      const query = queryTerms(text);
      const own = new Set(query.map(({ term }) => term));
      for (const { term, weight } of query) {
        addTerm(term, weight * shareOf(term) * commonWordShare(term), own, options);
      }
      const { limit, accepts = () => true } = options;
      const list = createBestList(Math.max(limit, PAIRS_OF_BEST), (row) => {
        const name = names[row];
        return name !== undefined && accepts(name);
      });
      for (const row of touched) {
        list.offer(row, scores[row] ?? 0);
        scores[row] = 0;
      }
      touched = [];
      const found = list.items();
      refine(query, found);
      addPairs(text, found);
      raiseSiblings(found, (row) => documents[row]?.server ?? '');
      const sorted = found
        .map(({ row, score }) => ({ row, name: names[row] ?? '', score }))
        .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
      const isWeak = isWeakSearch(query, sorted, options);
      return sorted.slice(0, limit).map(({ name, score }) => ({ name, score, isWeak }));
    },
    get size() {
      return rows.size;
    },
  };
}

function shareOf(term: string): number {
  if (VALUE.test(term)) return VALUE_SHARE;
  return REQUEST_TERMS.has(term) ? REQUEST_SHARE : 1;
}
