import { CallError } from '#core/call-error.ts';
import type { Database, Query, Value, Write } from './database.ts';

/**
 * Looks at every value before an engine does: one engine ends the process over a value of a kind it does not know, the
 * other stores something else instead, and what is hashed must be what is stored. And nothing passes once it is closed.
 */
export function guardDatabase(db: Database): Database {
  let closed = false;
  const whileOpen = () => {
    if (closed) throw new CallError('interrupted', 'The store is closed.');
  };
  const query =
    (ask: Query): Query =>
    async (sql, params = []) => {
      whileOpen();
      return ask(sql, params.map(checked));
    };
  const toChecked = (write: Write): Write => {
    const { statements, audit, spent } = write;
    if (
      statements.length === 0 &&
      areSound(audit) &&
      areSound(spent?.attempts) &&
      areSound(spent?.usage)
    )
      return write;
    const own =
      statements.length === 0
        ? statements
        : statements.map((each) => ({ ...each, params: each.params.map(checked) }));
    return {
      statements: own,
      ...(audit && { audit: audit.map(checkedRow) }),
      ...(spent && {
        spent: { attempts: spent.attempts.map(checkedRow), usage: spent.usage.map(checkedRow) },
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
    writeSoon(write) {
      whileOpen();
      return db.writeSoon(toChecked(write));
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
 * Text that both engines keep to the letter: PostgreSQL refuses NUL, and neither can hold half a surrogate pair.
 */
function checked(value: Value): Value {
  if (isSound(value)) return value;
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\u2400');
  throw new CallError(
    'validation',
    `The store takes texts and whole numbers, not ${kindOf(value)}.`,
  );
}

function isSound(value: Value): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return value === null || Number.isSafeInteger(value);
}

type Row = readonly Value[];

/** Nearly all rows are, and need not be copied: whoever made them keeps none. */
function areSound(rows: readonly Row[] | undefined): boolean {
  return !rows || rows.every((row) => row.every(isSound));
}

function checkedRow(row: Row): Row {
  return row.map(checked);
}

function kindOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
