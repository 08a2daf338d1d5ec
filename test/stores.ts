import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createFakeClock } from './fake-clock.ts';
import { createListLog, type ListLog } from './list-log.ts';
import { queryOnce } from './query-once.ts';

/** What a store is opened with, for a test: a folder and, for PostgreSQL, a database of its own. */
export interface StoreHome {
  readonly database: string;
  readonly dataDir: string;
  readonly backupDir: string;
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly log: ListLog;
  remove(): Promise<void>;
}

export const KINDS = ['sqlite', 'postgres'] as const;
export type Kind = (typeof KINDS)[number];

export async function makeStoreHome(
  kind: Kind,
  server = inject('postgresUrl'),
): Promise<StoreHome> {
  const dir = mkdtempSync(join(tmpdir(), 'exai-store-'));
  const database = kind === 'sqlite' ? undefined : await makeDatabase(server);
  return {
    database: database?.url ?? '',
    dataDir: join(dir, 'data'),
    backupDir: join(dir, 'backups'),
    clock: createFakeClock(Date.UTC(2026, 0, 1)),
    log: createListLog(),
    async remove() {
      rmSync(dir, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

let made = 0;

async function makeDatabase(server: string) {
  const name = `t_${process.pid}_${++made}`;
  await queryOnce(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await queryOnce(server, `drop database if exists ${name} with (force)`);
    },
  };
}
