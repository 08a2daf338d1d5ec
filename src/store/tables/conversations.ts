import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import type {
  AppendOptions,
  Conversation,
  ConversationChange,
  ConversationStore,
  NewTurn,
  Turn,
} from '#core/stores/conversations.ts';
import type { Clock } from '#core/time/clock.ts';
import { assignments, int, json, text, textOrNull, toJsonText, where } from './columns.ts';
import {
  execute,
  type Database,
  type Dialect,
  type Row,
  type Statement,
  type Value,
} from '../database.ts';
import { searchSnippet } from './search-text.ts';
import { preparedFor, TURN_SEARCH_INDEX, turnAt, turnFromEnd } from './turn-search-index.ts';

/** After all others of the principal; the clock may have gone back. */
const LAST = '(select coalesce(max(list_order), 0) + 1 from conversations where principal = ?)';

const INSERT_CONVERSATION = `
  insert into conversations (id, principal, title, model, state, parent_id, turns, created_at, updated_at, list_order)
  values (?, ?, ?, null, 'null', ?, 0, ?, ?, ${LAST})`;

const INSERT_TURN = `
  insert into turns (conversation_id, seq, role, tool, provider, model, content, reasoning, files, usage, created_at)
  select id, turns - ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from conversations where id = ?`;

const MINE = 'where id = ? and principal = ?';

export function createConversationStore(
  db: Database,
  clock: Pick<Clock, 'now'>,
): ConversationStore {
  const searchIndex = TURN_SEARCH_INDEX[db.dialect];

  function changing(change: ConversationChange): { sql: string; params: Value[] } {
    const { title, model, state, statePart } = change;
    const { sql, params } = assignments({
      'title = ?': title,
      'model = ?': model,
      'state = ?': state === undefined ? undefined : stateText(state),
    });
    if (!statePart) return { sql, params };
    const part = setStatePart(db.dialect, statePart.name, statePart.value);
    return {
      sql: sql === '' ? part.sql : `${sql}, ${part.sql}`,
      params: [...params, ...part.params],
    };
  }

  /** The counter is raised first, which serializes two writers of one conversation. */
  function countUp(
    id: string,
    principal: string,
    count: number,
    options: AppendOptions,
  ): Statement[] {
    const { sql, params } = changing(options);
    const { ifTurns } = options;
    const counted = {
      sql: `update conversations set turns = turns + ?, updated_at = ?, list_order = ${LAST}${sql === '' ? '' : `, ${sql}`}
        ${MINE} returning turns`,
      params: [count, clock.now(), principal, ...params, id, principal],
      errorIfNoRows: noConversation(id),
    };
    if (ifTurns === undefined) return [counted];
    return [
      counted,
      {
        sql: `update conversations set turns = turns ${MINE} and turns = ?`,
        params: [id, principal, ifTurns + count],
        errorIfNoRows: wentOn(id),
      },
    ];
  }

  function addTurn(id: string, turn: NewTurn, words: readonly string[], back: number): Statement[] {
    return [
      {
        sql: INSERT_TURN,
        params: [
          back,
          turn.role,
          turn.tool,
          turn.provider ?? null,
          turn.model ?? null,
          turn.content,
          turn.reasoning ?? '',
          toJsonText(turn.files ?? []),
          toJsonText(turn.usage),
          clock.now(),
          id,
        ],
      },
      ...searchIndex.index(turnFromEnd(id, back), words),
    ];
  }

  function creating(
    id: string,
    principal: string,
    { title, parentId }: NonNullable<AppendOptions['begin']>,
  ): Statement {
    const now = clock.now();
    return {
      sql: INSERT_CONVERSATION,
      params: [id, principal, title, parentId ?? null, now, now, principal],
    };
  }

  return {
    async create({ id, principal, ...about }) {
      await execute(db, creating(id, principal, about));
    },

    async get(id, principal) {
      const rows = await db.read('select * from conversations where id = ? and principal = ?', [
        id,
        principal,
      ]);
      return rows[0] && toConversation(rows[0]);
    },

    async list(principal, limit, before) {
      const beforeMs = typeof before === 'number' ? before : undefined;
      const last = typeof before === 'object' ? before : undefined;
      const { sql, params } = where({
        'principal = ?': principal,
        'updated_at < ?': beforeMs,
        'list_order <= ?': last?.listOrder,
      });
      const rows = await db.read(
        `select * from conversations where ${sql}${last ? ' and (list_order, id) < (?, ?)' : ''}
          order by list_order desc, id desc limit ?`,
        [...params, ...(last ? [last.listOrder, last.id] : []), limit],
      );
      return rows.map(toConversation);
    },

    async update(id, principal, change) {
      const { sql, params } = changing(change);
      if (params.length === 0) return;
      await execute(db, {
        sql: `update conversations set ${sql} ${MINE}`,
        params: [...params, id, principal],
        errorIfNoRows: noConversation(id),
      });
    },

    async append(id, principal, turns, options = {}) {
      const begun = options.begin ? [creating(id, principal, options.begin)] : [];
      const last = turns.length - 1;
      const added: Statement[] = [];
      for (const [index, turn] of turns.entries()) {
        const prepared = preparedFor(searchIndex, turn.content);
        const words = prepared instanceof Promise ? await prepared : prepared;
        added.push(...addTurn(id, turn, words, last - index));
      }
      const rows = await db.write({
        statements: [...begun, ...countUp(id, principal, turns.length, options), ...added],
      });
      return Number(rows[begun.length]?.[0]?.['turns']) - last;
    },

    async fork({ id, from, principal, upToSeq = Number.MAX_SAFE_INTEGER }) {
      const now = clock.now();
      const [found] = await db.read(`select turns from conversations ${MINE}`, [from, principal]);
      if (!found) throw CallError.fromJSON(noConversation(from));
      // A turn never changes, so the write below copies what is read here.
      const turns = Math.min(int(found, 'turns'), upToSeq);
      const uncopied = await db.read(
        `select seq, content from turns where conversation_id = ? and seq <= ? and ${searchIndex.uncopied}`,
        [from, turns],
      );
      const words: Statement[] = [];
      for (const row of uncopied) {
        const prepared = await preparedFor(searchIndex, text(row, 'content'));
        words.push(...searchIndex.index(turnAt(id, int(row, 'seq')), prepared));
      }
      const [made = []] = await db.write({
        statements: [
          {
            sql: FORK_CONVERSATION,
            params: [id, turns, turns, turns, turns, now, now, principal, from, principal],
            errorIfNoRows: noConversation(from),
          },
          { sql: FORK_TURNS, params: [id, from, turns] },
          ...searchIndex.copy(from, id),
          ...words,
        ],
      });
      return toConversation(made[0] ?? {});
    },

    async turns(id, principal, limit, beforeSeq) {
      const { sql, params } = where({
        't.conversation_id = ?': id,
        'c.principal = ?': principal,
        't.seq < ?': beforeSeq,
      });
      const rows = await db.read(
        `select t.* from turns t join conversations c on c.id = t.conversation_id
          where ${sql} order by t.seq desc limit ?`,
        [...params, limit],
      );
      return rows.map(toTurn).reverse();
    },

    async search(principal, query, limit) {
      const match = searchIndex.match(query);
      if (!match) return [];
      const rows = await db.scan(
        `select t.conversation_id, t.seq, t.content, t.created_at, c.title
          from ${match.from} join conversations c on c.id = t.conversation_id
          where ${match.where} and c.principal = ? order by ${match.newest} limit ?`,
        [...match.params, principal, limit],
      );
      return rows.map((row) => ({
        conversationId: text(row, 'conversation_id') as Id<'conv'>,
        title: text(row, 'title'),
        seq: int(row, 'seq'),
        snippet: searchSnippet(text(row, 'content'), query),
        createdAt: int(row, 'created_at'),
      }));
    },

    async delete(id, principal) {
      await execute(db, {
        sql: 'delete from conversations where id = ? and principal = ?',
        params: [id, principal],
        errorIfNoRows: noConversation(id),
      });
    },
  };
}

const FORK_CONVERSATION = `
  insert into conversations (id, principal, title, model, state, parent_id, turns, created_at, updated_at, list_order)
  select cast(? as text), c.principal, c.title,
    case when c.turns = ? then c.model else (select t.model from turns t
      where t.conversation_id = c.id and t.seq <= ? and t.model is not null order by t.seq desc limit 1) end,
    case when c.turns = ? then c.state else 'null' end,
    c.id, cast(? as bigint), ?, ?, ${LAST}
  from conversations c where c.id = ? and c.principal = ? returning *`;

const FORK_TURNS = `
  insert into turns (conversation_id, seq, role, tool, provider, model, content, reasoning, files, usage, created_at)
  select cast(? as text), seq, role, tool, provider, model, content, reasoning, files, usage, created_at
  from turns where conversation_id = ? and seq <= ? order by seq`;

function noConversation(id: string) {
  return new CallError('not_found', `There is no conversation ${id}.`, {
    field: 'continuation_id',
    fixes: [fix('list_conversations')],
  }).toJSON();
}

function wentOn(id: string) {
  return new CallError('conflict', `Conversation ${id} was updated by another call.`, {
    field: 'continuation_id',
    fixes: [fix('retry'), 'The answer will take what was added into account.'],
  }).toJSON();
}

function toConversation(row: Row): Conversation {
  return {
    id: text(row, 'id') as Id<'conv'>,
    principal: text(row, 'principal'),
    title: text(row, 'title'),
    model: textOrNull(row, 'model'),
    state: json(row, 'state'),
    parentId: textOrNull(row, 'parent_id') as Id<'conv'> | null,
    turns: int(row, 'turns'),
    createdAt: int(row, 'created_at'),
    updatedAt: int(row, 'updated_at'),
    listOrder: int(row, 'list_order'),
  };
}

function toTurn(row: Row): Turn {
  return {
    conversationId: text(row, 'conversation_id') as Id<'conv'>,
    seq: int(row, 'seq'),
    role: text(row, 'role') as Turn['role'],
    tool: text(row, 'tool'),
    provider: textOrNull(row, 'provider'),
    model: textOrNull(row, 'model'),
    content: text(row, 'content'),
    reasoning: text(row, 'reasoning'),
    files: json(row, 'files'),
    usage: json(row, 'usage'),
    createdAt: int(row, 'created_at'),
  };
}

interface Assignment {
  readonly sql: string;
  readonly params: readonly Value[];
}

// Names that need no escaping in a JSON path.
const NAME = /^[\w.:/-]{1,128}$/;

/**
 * Sets one key of the column `state` in SQL, so that concurrent writers of different keys do not
 * overwrite each other.
 */
function setStatePart(dialect: Dialect, name: string, value: Json): Assignment {
  if (!NAME.test(name)) {
    throw new CallError('validation', 'The state of a conversation has no part by such a name.');
  }
  return SET[dialect](name, stateText(value));
}

// A pair of backslashes is an escaped backslash, not an escape sequence.
const UNKEPT = /\\(?:\\|u(?:(0000)|d[89a-f][\da-f]{2}))/g;

/**
 * JSON text that both engines can parse: PostgreSQL rejects escaped NUL and escaped halves of
 * surrogate pairs.
 */
function stateText(state: Json): string {
  return toJsonText(state).replaceAll(UNKEPT, (escape, nul: string | undefined) => {
    if (escape === '\\\\') return escape;
    return nul === undefined ? '\ufffd' : '\u2400';
  });
}

const SET: Record<Dialect, (name: string, json: string) => Assignment> = {
  sqlite: (name, json) => ({
    sql: `state = json_set(case json_type(state) when 'object' then state else '{}' end, ?, json(?))`,
    params: [`$."${name}"`, json],
  }),
  // `json` keeps the text; `jsonb` would reject some texts.
  postgres: (name, json) => ({
    sql: `state = (select cast(json_object_agg(key, value) as text) from (
      select key, value from json_each(case json_typeof(cast(state as json)) when 'object' then cast(state as json) else '{}' end)
        where key <> ?
      union all select cast(? as text), cast(? as json)) parts)`,
    params: [name, name, json],
  }),
};
