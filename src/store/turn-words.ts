import type { Dialect, Statement, Value } from './database.ts';
import { isAscii, toTerms, toWords } from './search-text.ts';

/** How one dialect keeps and finds the words of turns. */
interface TurnWords {
  /** Statements that index a turn. */
  index(turn: TurnRef, content: string): Statement[];
  /** Gives the copies of turns the words that the turns have. */
  copy(from: string, to: string): Statement[];
  /** Which turns `copy` leaves out, as a condition on `turns`: their words have to be cut anew. */
  readonly uncopied: string;
  /** Where turns `t` that have all terms come from, by their ids; nothing when there are no terms. */
  match(query: string): Matching | undefined;
}

interface Matching {
  readonly from: string;
  readonly where: string;
  /** Of `where`. */
  readonly params: readonly string[];
  /** What to sort by, newest first. */
  readonly newest: string;
}

/** An SQL expression for the id of a turn, with its parameters. */
export interface TurnRef {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** A turn by its number: its id is the database's to give, and a write cannot look at it in between. */
export function turnAt(conversationId: string, seq: number): TurnRef {
  return {
    sql: '(select id from turns where conversation_id = ? and seq = ?)',
    params: [conversationId, seq],
  };
}

/** The same, counted from the end: 0 is the last. */
export function turnFromEnd(conversationId: string, back: number): TurnRef {
  return {
    sql: `(select t.id from turns t join conversations c on c.id = t.conversation_id and c.turns - ? = t.seq
      where c.id = ?)`,
    params: [back, conversationId],
  };
}

const NOT_ASCII = 'length(content) <> length(cast(content as blob))';

const sqlite: TurnWords = {
  index: (turn, content) => [
    {
      sql: `insert into turn_words (rowid, words) values (${turn.sql}, ?)`,
      // The index folds and cuts ASCII as we do, in the writer's thread; cutting megabytes here would hold up calls.
      params: [...turn.params, isAscii(content) ? content : toWords(content).join(' ')],
    },
  ],
  // An index without content cannot be read back, but what it was made of can, where that was the text itself.
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
      // The index gives its rows newest first by itself, so that a word of every turn is found as fast as a rare one.
      from: 'turn_words w cross join turns t on t.id = w.rowid',
      where: 'turn_words match ?',
      params: [words],
      newest: 'w.rowid desc',
    };
  },
};

// A tsvector holds 16,383 places and 1 MB: a long turn is indexed in parts, which overlap so that no phrase is cut.
const WORDS_PER_PART = 2000;
const OVERLAP = 16;

const postgres: TurnWords = {
  index: (turn, content) =>
    partsOf(toWords(content)).map((words, part) => ({
      sql: `insert into turn_words (turn_id, part, words) values (${turn.sql}, ?, cast(? as tsvector))`,
      params: [
        ...turn.params,
        part,
        words.map((word, at) => `${quoted(word)}:${at + 1}`).join(' '),
      ],
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

// PostgreSQL keeps no word over 2 KB, and nobody types one.
const MAX_WORD = 64;

/** A word as a tsvector or tsquery holds it; words are letters and digits only, so none has a quote. */
function quoted(word: string): string {
  return `'${word.slice(0, MAX_WORD)}'`;
}

function partsOf(words: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let from = 0; from < words.length; from += WORDS_PER_PART) {
    parts.push(words.slice(from, from + WORDS_PER_PART + OVERLAP));
  }
  return parts;
}

export const TURN_WORDS: Record<Dialect, TurnWords> = { sqlite, postgres };
