import type { ErrorJson } from '#core/call-error.ts';

export type Dialect = 'sqlite' | 'postgres';
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** SQL that both dialects accept, with `?` for each parameter. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
  /** Thrown, and the whole write undone, when the statement touches no row. */
  readonly orElse?: ErrorJson;
}

/** What asking models took: rows of the attempts and of the usage, in the order of their columns. */
export interface Spent {
  readonly attempts: readonly (readonly Value[])[];
  readonly usage: readonly (readonly Value[])[];
}

/** Statements that are stored together or not at all, and the audit rows that go with them. */
export interface Write {
  readonly statements: readonly Statement[];
  /** Each a row of AUDIT_COLUMNS; the chain is added where the commit happens. */
  readonly audit?: readonly (readonly Value[])[];
  /** Written together for all writes of a commit. */
  readonly spent?: Spent;
}

export type Query = (sql: string, params?: readonly Value[]) => Promise<Row[]>;

/** What the table families need of an engine. One implementation per dialect, one case suite for both. */
export interface Database {
  readonly dialect: Dialect;
  /** Small and indexed: answered at once. */
  readonly read: Query;
  /** May walk a great many rows: never in the way of calls. */
  readonly scan: Query;
  /** Durable when it resolves; gives the rows that each statement returned. */
  write(write: Write): Promise<Row[][]>;
  /** Joins the next commit, at most 50 ms later. A failure goes to the log. */
  writeSoon(write: Write): Promise<void> | undefined;
  /** Runs `work` on one unchanging view of everything. */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  health(): Promise<{ ok: boolean; detail?: string }>;
  close(): Promise<void>;
}

/** A write of one statement; gives the rows it returned. */
export async function execute(db: Database, statement: Statement): Promise<Row[]> {
  const [rows = []] = await db.write({ statements: [statement] });
  return rows;
}

/** `(?, ?, ?)` as often as asked, for inserts of many rows. */
export function placeholders(columns: number, rows = 1): string {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  return Array.from({ length: rows }, () => row).join(', ');
}
