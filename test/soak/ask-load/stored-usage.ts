import { openSqlite } from '#store/sqlite/connection.ts';
import type { Answered } from './load.ts';

interface Row {
  readonly req_id: string;
  readonly provider: string;
  readonly model: string;
  readonly estimated: number;
}

export interface StoredUsage {
  readonly rows: number;
  /** Of answers that broke off, counted by us. */
  readonly estimated: number;
  /** Answers with no row of their own, or with more than one; a sentence each. */
  readonly faults: readonly string[];
}

/** What is on disk once the daemon has stopped, against what was answered. */
export function readStoredUsage(path: string, answers: readonly Answered[]): StoredUsage {
  const database = openSqlite(path, 'read');
  const rows = database.all(
    'select req_id, provider, model, estimated from usage',
  ) as unknown as Row[];
  database.close();
  const counted = new Map<string, number>();
  for (const { req_id: reqId, provider, model, estimated } of rows) {
    const key = `${reqId} ${provider}/${model}`;
    if (estimated === 0) counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  const faults = answers.flatMap(({ question, envelope }) => {
    if (envelope.status !== 'success') return [];
    const { req_id: reqId, provider, model } = envelope;
    const kept = counted.get(`${reqId} ${provider}/${model}`) ?? 0;
    // The small model that is asked what an unclear question is may be the one that answers it.
    const most = question.isUnclear ? 2 : 1;
    return kept >= 1 && kept <= most ? [] : [`${kept} rows of ${reqId} for ${provider}/${model}`];
  });
  return {
    rows: rows.length,
    estimated: rows.filter(({ estimated }) => estimated !== 0).length,
    faults,
  };
}
