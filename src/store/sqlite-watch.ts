import { statSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import type { Row, Write } from './database.ts';
import { isOwnFault } from './sqlite-commit.ts';

const PROBE: Write = {
  statements: [
    {
      sql: `insert into settings (name, value, updated_at) values ('store_probe', 'null', 0)
        on conflict (name) do update set updated_at = settings.updated_at + 1`,
      params: [],
    },
  ],
};

/** Tells whether the database can be written: its file is where it was, and the last commit did not fail. */
export function watchSqlite(file: string, write: (write: Write) => Promise<Row[][]>) {
  const opened = identity(file);
  let failure: CallError | undefined;

  async function writing(work: Promise<Row[][]>): Promise<Row[][]> {
    try {
      const rows = await work;
      failure = undefined;
      return rows;
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (!isOwnFault(error)) failure = error;
      throw error;
    }
  }

  return {
    writing,
    async health(): Promise<{ ok: boolean; detail?: string }> {
      // Writes to a deleted file succeed, and are gone with the process.
      if (identity(file) !== opened) {
        return { ok: false, detail: `${file} was moved or deleted while the daemon runs.` };
      }
      // Nobody may be writing any more; without a try, a disk that has room again would go unnoticed.
      if (failure) await writing(write(PROBE)).catch(() => undefined);
      return failure ? { ok: false, detail: failure.message } : { ok: true };
    },
  };
}

function identity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
