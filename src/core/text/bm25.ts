/** The usual parameters of BM25, which hold for texts of all kinds. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** How much a term tells, by the number of documents that have it. */
export function inverseDocumentFrequency(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}

/** The part of a document's length in the score: 1 for a document of mean length. */
export function lengthFactor(length: number, meanLength: number, share = LENGTH_SHARE): number {
  return 1 - share + (share * length) / (meanLength || 1);
}

/**
 * The score of a term in a document (BM25). For several fields (BM25F), `count` is the sum of
 * their counts, each times the weight of its field and divided by its length factor, and `length` is 1.
 */
export function termScore(idf: number, count: number, length: number): number {
  return (idf * count * (SATURATION + 1)) / (count + SATURATION * length);
}
