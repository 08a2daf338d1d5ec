import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Id } from '#core/ids.ts';
import type { Conversation, ConversationStore, NewTurn, Turn } from '#core/stores/conversations.ts';
import { assignments, int, json, text, textOrNull, toJsonText, where } from './columns.ts';
import { execute, type Database, type Row, type Statement } from './database.ts';
import { snippet } from './search-text.ts';
import { newestTurn, TURN_WORDS } from './turn-words.ts';

const INSERT_TURN = `
  insert into turns (conversation_id, seq, role, tool, provider, model, content, files, usage, created_at)
  select id, turns, ?, ?, ?, ?, ?, ?, ?, ? from conversations where id = ?`;

export function createConversations(db: Database, clock: Pick<Clock, 'now'>): ConversationStore {
  const words = TURN_WORDS[db.dialect];

  function appendOne(id: string, principal: string, turn: NewTurn, now: number): Statement[] {
    return [
      {
        // Counting up first makes two writers of one conversation wait for each other.
        sql: `update conversations set turns = turns + 1, updated_at = ?
          where id = ? and principal = ? returning turns`,
        params: [now, id, principal],
        orElse: noConversation(id),
      },
      {
        sql: INSERT_TURN,
        params: [
          turn.role,
          turn.tool,
          turn.provider ?? null,
          turn.model ?? null,
          turn.content,
          toJsonText(turn.files ?? []),
          toJsonText(turn.usage),
          now,
          id,
        ],
      },
      ...words.index(newestTurn(id), turn.content),
    ];
  }

  return {
    async create({ id, principal, title, parentId }) {
      const now = clock.now();
      await execute(db, {
        sql: `insert into conversations
              (id, principal, title, model, state, parent_id, turns, created_at, updated_at)
              values (?, ?, ?, null, 'null', ?, 0, ?, ?)`,
        params: [id, principal, title, parentId ?? null, now, now],
      });
    },

    async get(id, principal) {
      const rows = await db.read('select * from conversations where id = ? and principal = ?', [
        id,
        principal,
      ]);
      return rows[0] && toConversation(rows[0]);
    },

    async list(principal, limit, beforeMs) {
      const { sql, params } = where({ 'principal = ?': principal, 'updated_at < ?': beforeMs });
      const rows = await db.read(
        `select * from conversations where ${sql} order by updated_at desc, id desc limit ?`,
        [...params, limit],
      );
      return rows.map(toConversation);
    },

    async update(id, principal, { title, model, state }) {
      const { sql, params } = assignments({
        'title = ?': title,
        'model = ?': model,
        'state = ?': state === undefined ? undefined : toJsonText(state),
      });
      if (params.length === 0) return;
      await execute(db, {
        sql: `update conversations set ${sql} where id = ? and principal = ?`,
        params: [...params, id, principal],
        orElse: noConversation(id),
      });
    },

    async append(id, principal, turns) {
      const now = clock.now();
      const rows = await db.write({
        statements: turns.flatMap((turn) => appendOne(id, principal, turn, now)),
      });
      return Number(rows[0]?.[0]?.['turns']);
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
      const match = words.match(query);
      if (!match) return [];
      const rows = await db.scan(
        `select t.conversation_id, t.seq, t.content, t.created_at, c.title
          from turns t join conversations c on c.id = t.conversation_id
          where ${match.sql} and c.principal = ? order by t.id desc limit ?`,
        [...match.params, principal, limit],
      );
      return rows.map((row) => ({
        conversationId: text(row, 'conversation_id') as Id<'conv'>,
        title: text(row, 'title'),
        seq: int(row, 'seq'),
        snippet: snippet(text(row, 'content'), query),
        createdAt: int(row, 'created_at'),
      }));
    },

    async delete(id, principal) {
      await execute(db, {
        sql: 'delete from conversations where id = ? and principal = ?',
        params: [id, principal],
        orElse: noConversation(id),
      });
    },
  };
}

function noConversation(id: string) {
  return new CallError('not_found', `There is no conversation ${id}.`, {
    field: 'continuation_id',
    fix: 'List yours with: exai threads list',
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
    files: json(row, 'files'),
    usage: json(row, 'usage'),
    createdAt: int(row, 'created_at'),
  };
}
