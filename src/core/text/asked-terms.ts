import { queryTerms, type QueryTerm } from './search-terms.ts';

/** Where a request begins; what stands before it tells why it is made. */
const REQUEST =
  /\b(?:i need|i want|i'd like|looking for|can you|could you|help me|please|recommend|suggest|find me|tell me|show me|give me|what(?:'s| is| are)|how (?:do|can|to))\b/i;
/** Of a term that stands before the request alone. */
const BEFORE_SHARE = 0.8;

/** The terms of a query: those before what it asks for count less. */
export function askedTerms(query: string): QueryTerm[] {
  const terms = queryTerms(query);
  const start = query.search(REQUEST);
  if (start <= 0) return terms;
  const asked = new Set(queryTerms(query.slice(start)).map(({ term }) => term));
  return terms.map(({ term, weight }) => ({
    term,
    weight: asked.has(term) ? weight : weight * BEFORE_SHARE,
  }));
}
