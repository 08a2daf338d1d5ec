import type { StoreDamage } from '#core/stores/store.ts';
import type { CallError, ErrorJson } from '#core/errors/call-error.ts';

export type Dialect = 'sqlite' | 'postgres';
export type Value = string | number | null;
/** A value of a table: a blob in SQLite, a bytea in PostgreSQL. Audit and usage rows have no bytes. */
export type Cell = Value | Uint8Array;
export type Row = Readonly<Record<string, Cell>>;

/** SQL that both dialects accept, with `?` for each parameter. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Cell[];
  /** The error, which undoes the whole write, when the statement changes no row. */
  readonly errorIfNoRows?: ErrorJson;
}

/** Rows of `attempts` and `usage`, in the order of their columns. */
export interface UsageRows {
  readonly attempts: readonly (readonly Value[])[];
  readonly usage: readonly (readonly Value[])[];
}

/** Statements of one atomic write, with its audit and usage rows. */
export interface Write {
  readonly statements: readonly Statement[];
  /** Rows of AUDIT_COLUMNS; the commit adds the chain. */
  readonly audit?: readonly (readonly Value[])[];
  /** Inserted together for all writes of a commit. */
  readonly usageRows?: UsageRows;
  /**
   * A part of something large that no reader can see yet: it is durable with the next write that is
   * not bulk. Shared memory is not copied on its way, so it must not change before the write is done.
   */
  readonly bulk?: true;
}

export type Query = (sql: string, params?: readonly Cell[]) => Promise<Row[]>;

/**
 * The database behind the stores. There is one implementation per dialect and one test suite for
 * both.
 */
export interface Database {
  readonly dialect: Dialect;
  /** For small, indexed queries. */
  readonly read: Query;
  /** For queries over many rows, which run apart from the calls. */
  readonly scan: Query;
  /** Durable when it resolves; returns the rows of each statement. */
  write(write: Write): Promise<Row[][]>;
  /** Joins the next commit, at most 50 ms later. A failure is logged. */
  writeLazily(write: Write): Promise<void> | undefined;
  /** Runs `work` on one snapshot of the database. */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  health(): Promise<{ ok: boolean; detail?: string }>;
  /** Why writes are expected to fail, as far as is known without asking the database. */
  failure(): CallError | undefined;
  /** The damaged pages that are known. */
  damage(): StoreDamage | undefined;
  /** Looks for damaged pages, where the engine leaves that to us. */
  checkPages(): Promise<StoreDamage | undefined>;
  close(): Promise<void>;
}

/** Runs a write of one statement and returns its rows. */
export async function execute(db: Database, statement: Statement): Promise<Row[]> {
  const [rows = []] = await db.write({ statements: [statement] });
  return rows;
}

/** Placeholders `(?, ?, ?)` for an insert of `rows` rows. */
export function placeholders(columns: number, rows = 1): string {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  return Array.from({ length: rows }, () => row).join(', ');
}
