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
  const toChecked = ({ statements, audit, spent }: Write): Write => {
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
    async write(write) {
      whileOpen();
      return db.write(toChecked(write));
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
  if (typeof value === 'string') {
    const whole = value.isWellFormed() ? value : value.toWellFormed();
    return whole.includes('\0') ? whole.replaceAll('\0', '\u2400') : whole;
  }
  if (value === null || Number.isSafeInteger(value)) return value;
  throw new CallError(
    'validation',
    `The store takes texts and whole numbers, not ${kindOf(value)}.`,
  );
}

function checkedRow(row: readonly Value[]): readonly Value[] {
  return row.map(checked);
}

function kindOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
