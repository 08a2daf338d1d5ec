import { CallError } from '#core/errors/call-error.ts';
import type { Cell, Database, Query, Value, Write } from './database.ts';

/**
 * Validates every value before it reaches the engine: SQLite's ends the process on a value of an
 * unknown type, PostgreSQL stores something else, and the stored row must be the hashed row.
 * Rejects everything after close.
 */
export function validateValues(db: Database): Database {
  let closed = false;
  const whileOpen = () => {
    if (closed) throw new CallError('interrupted', 'The store is closed.');
  };
  const query =
    (ask: Query): Query =>
    async (sql, params = []) => {
      whileOpen();
      return ask(sql, params.map(checkedCell));
    };
  const toChecked = (write: Write): Write => {
    const { statements, audit, usageRows } = write;
    if (
      statements.length === 0 &&
      areSound(audit) &&
      areSound(usageRows?.attempts) &&
      areSound(usageRows?.usage)
    )
      return write;
    const own =
      statements.length === 0
        ? statements
        : statements.map((each) => ({ ...each, params: each.params.map(checkedCell) }));
    return {
      ...write,
      statements: own,
      ...(audit && { audit: audit.map(checkedRow) }),
      ...(usageRows && {
        usageRows: {
          attempts: usageRows.attempts.map(checkedRow),
          usage: usageRows.usage.map(checkedRow),
        },
      }),
    };
  };
  return {
    ...db,
    read: query(db.read),
    scan: query(db.scan),
    write(write) {
      try {
        whileOpen();
        return db.write(toChecked(write));
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
    writeLazily(write) {
      whileOpen();
      return db.writeLazily(toChecked(write));
    },
    async snapshot(work) {
      whileOpen();
      return db.snapshot(work);
    },
    close() {
      closed = true;
      return db.close();
    },
  };
}

/**
 * Text that both engines store unchanged: PostgreSQL rejects NUL, and neither can store half a
 * surrogate pair.
 */
function checked(value: Value): Value {
  if (isSound(value)) return value;
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\u2400');
  throw new CallError(
    'validation',
    `The store takes texts, whole numbers and bytes, not ${kindOf(value)}.`,
  );
}

/** A view of a larger buffer is copied, as the whole buffer would be copied to the writer thread. */
function checkedCell(value: Cell): Cell {
  if (!(value instanceof Uint8Array)) return checked(value);
  return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
}

function isSound(value: Value): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return value === null || Number.isSafeInteger(value);
}

type Row = readonly Value[];

/** Whether all values are valid. Nearly all rows are, and then need no copy. */
function areSound(rows: readonly Row[] | undefined): boolean {
  return !rows || rows.every((row) => row.every(isSound));
}

function checkedRow(row: Row): Row {
  return row.map(checked);
}

function kindOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
