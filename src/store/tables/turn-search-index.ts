import { cutInSteps, isLongToCut } from '#core/text/cut-in-steps.ts';
import { cutCharacters, isAscii } from '#core/text/cut-words.ts';
import type { Dialect, Statement, Value } from '../database.ts';
import { toTerms } from './search-text.ts';

/** The full-text index of turns in one dialect. */
interface TurnSearchIndex {
  /** What is stored for a text: one or more rows. */
  prepare(content: string): readonly string[];
  /** As `prepare`, in steps with pauses; for long texts. */
  prepareInSteps(content: string): Promise<readonly string[]>;
  /** Statements that index a turn by what was prepared. */
  index(turn: TurnRef, prepared: readonly string[]): Statement[];
  /** Copies the index entries of turns to their copies. */
  copy(from: string, to: string): Statement[];
  /** The turns that `copy` leaves out, as a condition on `turns`; they have to be indexed again. */
  readonly uncopied: string;
  /** The clauses that select turns `t` with all terms; undefined when there are no terms. */
  match(query: string): Matching | undefined;
}

interface Matching {
  readonly from: string;
  readonly where: string;
  /** The parameters of `where`. */
  readonly params: readonly string[];
  /** The `order by` expression, newest first. */
  readonly newest: string;
}

/** What `index` stores for a text, prepared in steps if it is long. */
export function preparedFor(
  index: Pick<TurnSearchIndex, 'prepare' | 'prepareInSteps'>,
  content: string,
): readonly string[] | Promise<readonly string[]> {
  return isLongToCut(content) ? index.prepareInSteps(content) : index.prepare(content);
}

/** An SQL expression for the id of a turn, with its parameters. */
export interface TurnRef {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** A turn by its number, because its id is assigned by the database within the same write. */
export function turnAt(conversationId: string, seq: number): TurnRef {
  return {
    sql: '(select id from turns where conversation_id = ? and seq = ?)',
    params: [conversationId, seq],
  };
}

/** A turn counted from the end: 0 is the last. */
export function turnFromEnd(conversationId: string, back: number): TurnRef {
  return {
    sql: `(select t.id from turns t join conversations c on c.id = t.conversation_id and c.turns - ? = t.seq
      where c.id = ?)`,
    params: [back, conversationId],
  };
}

const NOT_ASCII = 'length(content) <> length(cast(content as blob))';

const sqlite: TurnSearchIndex = {
  // SQLite tokenizes ASCII as we do, in the writer thread.
  prepare: (content) => [isAscii(content) ? content : cutCharacters(content).join(' ')],
  async prepareInSteps(content) {
    if (isAscii(content)) return [content];
    const steps: string[] = [];
    await cutInSteps(content, (words) => steps.push(words.join(' ')));
    return [steps.join(' ')];
  },
  index: (turn, prepared) =>
    prepared.map((words) => ({
      sql: `insert into turn_words (rowid, words) values (${turn.sql}, ?)`,
      params: [...turn.params, words],
    })),
  // A contentless index cannot be read, but ASCII turns are indexed from their text, which can.
  copy: (_from, to) => [
    {
      sql: `insert into turn_words (rowid, words)
        select id, content from turns where conversation_id = ? and not (${NOT_ASCII})`,
      params: [to],
    },
  ],
  uncopied: NOT_ASCII,
  match(query) {
    const terms = toTerms(query);
    if (terms.length === 0) return undefined;
    const words = terms.map((term) => `"${term.join(' ')}"`).join(' AND ');
    return {
      // The index returns rows newest first, so that a frequent word is found as fast as a rare
      // one.
      from: 'turn_words w cross join turns t on t.id = w.rowid',
      where: 'turn_words match ?',
      params: [words],
      newest: 'w.rowid desc',
    };
  },
};

// A tsvector has at most 16,383 positions and 1 MB: a long turn is indexed in parts, which overlap
// so that phrases match across them.
const WORDS_PER_PART = 2000;
const OVERLAP = 16;

const postgres: TurnSearchIndex = {
  prepare: (content) => partsOf(cutCharacters(content)).map(toVector),
  async prepareInSteps(content) {
    const vectors: string[] = [];
    let left: string[] = [];
    await cutInSteps(content, (words) => {
      left = [...left, ...words];
      // A part is complete when the words that it overlaps with are there.
      while (left.length >= WORDS_PER_PART + OVERLAP) {
        vectors.push(toVector(left.slice(0, WORDS_PER_PART + OVERLAP)));
        left = left.slice(WORDS_PER_PART);
      }
    });
    return [...vectors, ...partsOf(left).map(toVector)];
  },
  index: (turn, prepared) =>
    prepared.map((words, part) => ({
      sql: `insert into turn_words (turn_id, part, words) values (${turn.sql}, ?, cast(? as tsvector))`,
      params: [...turn.params, part, words],
    })),
  copy: (from, to) => [
    {
      sql: `insert into turn_words (turn_id, part, words)
        select copied.id, w.part, w.words
        from turns copied
        join turns t on t.conversation_id = ? and t.seq = copied.seq
        join turn_words w on w.turn_id = t.id
        where copied.conversation_id = ?`,
      params: [from, to],
    },
  ],
  uncopied: 'false',
  match(query) {
    const terms = toTerms(query);
    if (terms.length === 0) return undefined;
    const one = 't.id in (select turn_id from turn_words where words @@ cast(? as tsquery))';
    return {
      from: 'turns t',
      where: terms.map(() => one).join(' and '),
      params: terms.map((term) => term.map(quoted).join(' <-> ')),
      newest: 't.id desc',
    };
  },
};

// PostgreSQL accepts no word over 2 KB.
const MAX_WORD = 64;

/**
 * Quotes a word for a tsvector or tsquery; words are letters and digits, so none contains a quote.
 */
function quoted(word: string): string {
  return `'${word.slice(0, MAX_WORD)}'`;
}

function toVector(words: readonly string[]): string {
  return words.map((word, at) => `${quoted(word)}:${at + 1}`).join(' ');
}

function partsOf(words: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let from = 0; from < words.length; from += WORDS_PER_PART) {
    parts.push(words.slice(from, from + WORDS_PER_PART + OVERLAP));
  }
  return parts;
}

export const TURN_SEARCH_INDEX: Record<Dialect, TurnSearchIndex> = { sqlite, postgres };
