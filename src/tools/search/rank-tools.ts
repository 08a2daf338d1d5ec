import { searchWords } from './words.ts';

/** What a search knows of a tool. */
export interface ToolDocument {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly argumentNames: readonly string[];
  /** Further words that find it. */
  readonly keywords: string;
}

/** Documents that match a query, best first. */
export type RankTools = (query: string) => readonly { readonly name: string }[];

interface Field {
  readonly weight: number;
  /** How much a long field counts less: 0 not at all, 1 by its length. */
  readonly lengthShare: number;
  readonly text: (document: ToolDocument) => string;
}

const NAME_WEIGHT = 5;

const FIELDS: readonly Field[] = [
  { weight: NAME_WEIGHT, lengthShare: 0.2, text: ({ name }) => name },
  { weight: 3, lengthShare: 0.2, text: ({ title }) => title },
  { weight: 1.5, lengthShare: 0.6, text: ({ description }) => description },
  { weight: 1.5, lengthShare: 0.2, text: ({ keywords }) => keywords },
  { weight: 0.3, lengthShare: 0.8, text: ({ argumentNames }) => argumentNames.join(' ') },
];

/** How soon further occurrences of a word stop counting. */
const SATURATION = 1.2;
/** Shorter words are parts of too many names. */
const MIN_PART_CHARS = 3;
const MIN_START_CHARS = 5;
/** Of the weight of a whole word in the name. */
const PART_SHARE = 0.6;

interface Indexed {
  readonly name: string;
  /** Weighted number of occurrences, by word. */
  readonly words: ReadonlyMap<string, number>;
}

/** Prepares documents for BM25F: BM25 over several fields with a weight each. */
export function createToolRanking(documents: readonly ToolDocument[]): RankTools {
  const indexed = indexDocuments(documents);
  return (query) => {
    const words = [...new Set(searchWords(query))];
    const columns = words.map((word) => scoresOf(word, indexed));
    return indexed
      .map(({ name }, row) => ({
        name,
        score: columns.reduce((sum, scores) => sum + (scores[row] ?? 0), 0),
      }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  };
}

/** The scores of all documents for one word of a query; a word that many documents have counts less. */
function scoresOf(word: string, indexed: readonly Indexed[]): readonly number[] {
  const weights = indexed.map(({ name, words }) => (words.get(word) ?? 0) + partWeight(word, name));
  const having = weights.filter((weight) => weight > 0).length;
  const rarity = Math.log(1 + (indexed.length - having + 0.5) / (having + 0.5));
  return weights.map((weight) => (rarity * weight) / (SATURATION + weight));
}

/** `review` finds `codereview`, whose name has no separators, and `healthy` finds `health`. */
function partWeight(word: string, name: string): number {
  const isPart = word.length >= MIN_PART_CHARS && name.includes(word);
  const isStart = name.length >= MIN_START_CHARS && word.startsWith(name);
  if (!isPart && !isStart) return 0;
  return name.split('_').includes(word) ? 0 : NAME_WEIGHT * PART_SHARE;
}

function indexDocuments(documents: readonly ToolDocument[]): readonly Indexed[] {
  const texts = documents.map((document) => FIELDS.map(({ text }) => searchWords(text(document))));
  const meanLengths = FIELDS.map((_, at) => mean(texts.map((fields) => fields[at]?.length ?? 0)));
  return documents.map(({ name }, row) => {
    const words = new Map<string, number>();
    for (const [at, { weight, lengthShare }] of FIELDS.entries()) {
      const field = texts[row]?.[at] ?? [];
      const length = field.length / (meanLengths[at] || 1);
      const each = weight / (1 - lengthShare + lengthShare * length);
      for (const word of field) words.set(word, (words.get(word) ?? 0) + each);
    }
    return { name, words };
  });
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, each) => sum + each, 0) / values.length;
}
