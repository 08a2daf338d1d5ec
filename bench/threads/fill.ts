import { createIds, type Id } from '#core/ids.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';

export const TURNS_PER_THREAD = 4;
/** In every turn, in about one thread of a hundred, and in ten threads of any store. */
export const WORDS = { common: 'paragraph', some: 'hundredth', rare: 'seldom' } as const;

const RARE_THREADS = 10;

/**
 * Conversations of one principal, put in by the engine's own hand: filling is not what is measured.
 * Gives their ids.
 */
export function fillThreads(dataDir: string, threads: number, principal: string): Id<'conv'>[] {
  let now = Date.UTC(2026, 0, 1);
  const newId = createIds({ now: () => now }, (bytes) => new Uint8Array(bytes));
  const ids: Id<'conv'>[] = [];
  const db = openSqlite(sqliteFile(dataDir), 'write');
  db.exec('begin');
  for (let n = 0; n < threads; n++) {
    now += 1000;
    const id = newId('conv');
    ids.push(id);
    db.run(
      `insert into conversations (id, principal, title, model, state, parent_id, turns, created_at, updated_at)
        values (?, ?, ?, 'glm-5.3', '{"debug":{"step":2}}', null, ?, ?, ?)`,
      [id, principal, `Question ${n}`, TURNS_PER_THREAD, now, now],
    );
    for (let seq = 1; seq <= TURNS_PER_THREAD; seq++) {
      db.run(
        `insert into turns (conversation_id, seq, role, tool, provider, model, content, files, usage, created_at)
          values (?, ?, ?, 'chat', null, null, ?, '[]', 'null', ?)`,
        [id, seq, seq % 2 === 1 ? 'user' : 'assistant', content(n, threads), now],
      );
    }
  }
  db.exec('insert into turn_words (rowid, words) select id, content from turns; commit');
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return ids;
}

function content(n: number, threads: number): string {
  const words = [`turn of thread t${n} with ordinary text of about one ${WORDS.common}`];
  if (n % 100 === 0) words.push(WORDS.some);
  if (n % Math.floor(threads / RARE_THREADS) === 0) words.push(WORDS.rare);
  return `${words.join(' ')}, ${'which says this and that, '.repeat(12)}and ends.`;
}
