import { serverName } from './postgres/errors.ts';

/** The name of a store for people, without user and password. */
export function storeName({ database, dataDir }: { database: string; dataDir: string }): string {
  return database === '' ? `SQLite in ${dataDir}` : `PostgreSQL at ${serverName(database)}`;
}
