import type { Json } from '#core/json/json.ts';
import type { Row, Value } from '../database.ts';

/** Readers of row values by type. The tables are ours, so a wrong type is a bug and may throw. */
export const text = (row: Row, name: string): string => String(row[name]);
export const textOrNull = (row: Row, name: string): string | null => {
  const value = row[name];
  return value === null || value === undefined ? null : String(value);
};
export const int = (row: Row, name: string): number => Number(row[name]);
export const intOrNull = (row: Row, name: string): number | null => {
  const value = row[name];
  return value === null || value === undefined ? null : Number(value);
};
export const json = <T = Json>(row: Row, name: string): T => JSON.parse(text(row, name)) as T;

export const toJsonText = (value: unknown): string => JSON.stringify(value ?? null);

interface Clauses {
  readonly sql: string;
  readonly params: Value[];
}

type Given = Readonly<Record<string, Value | undefined>>;

/** A condition `a = ? and b < ?`; undefined values are left out. */
export function where(conditions: Given): Clauses {
  const { sql, params } = clauses(conditions, ' and ');
  return { sql: sql || 'true', params };
}

/** Assignments `a = ?, b = ?`; undefined values are left out. */
export function assignments(changes: Given): Clauses {
  return clauses(changes, ', ');
}

function clauses(parts: Given, joint: string): Clauses {
  const present = Object.entries(parts).filter(([, value]) => value !== undefined);
  return {
    sql: present.map(([part]) => part).join(joint),
    params: present.map(([, value]) => value ?? null),
  };
}
