import type { Dialect, Statement, Value } from './database.ts';
import { isAscii, toTerms, toWords } from './search-text.ts';

/** How one dialect keeps and finds the words of turns. */
interface TurnWords {
  /** Statements that index a turn. */
  index(turn: TurnRef, content: string): Statement[];
  /** A condition on `turns.id` and its parameters, one per term. */
  match(query: string): { sql: string; params: string[] } | undefined;
}

/** An SQL expression for the id of a turn, with its parameters. */
export interface TurnRef {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** The turn just added: its id is the database's to give, and a write cannot look at it in between. */
export function newestTurn(conversationId: string): TurnRef {
  return {
    sql: `(select t.id from turns t join conversations c on c.id = t.conversation_id and c.turns = t.seq
      where c.id = ?)`,
    params: [conversationId],
  };
}

const sqlite: TurnWords = {
  index: (turn, content) => [
    {
      sql: `insert into turn_words (rowid, words) values (${turn.sql}, ?)`,
      // The index folds and cuts ASCII as we do, in the writer's thread; cutting megabytes here would hold up calls.
      params: [...turn.params, isAscii(content) ? content : toWords(content).join(' ')],
    },
  ],
  match(query) {
    const terms = toTerms(query);
    if (terms.length === 0) return undefined;
    const words = terms.map((term) => `"${term.join(' ')}"`).join(' AND ');
    return {
      sql: 't.id in (select rowid from turn_words where turn_words match ?)',
      params: [words],
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
  match(query) {
    const terms = toTerms(query);
    if (terms.length === 0) return undefined;
    const one = 't.id in (select turn_id from turn_words where words @@ cast(? as tsquery))';
    return {
      sql: terms.map(() => one).join(' and '),
      params: terms.map((term) => term.map(quoted).join(' <-> ')),
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
