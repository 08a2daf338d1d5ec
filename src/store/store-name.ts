import { serverName } from './postgres-errors.ts';

/** Which store that is, for people; without user and password. */
export function storeName({ database, dataDir }: { database: string; dataDir: string }): string {
  return database === '' ? `SQLite in ${dataDir}` : `PostgreSQL at ${serverName(database)}`;
}
