import { CallError } from '#core/errors/call-error.ts';
import type { Row, Write } from './database.ts';
import { isStatementError } from './group-commit.ts';

const PROBE: Write = {
  statements: [
    {
      sql: `insert into settings (name, value, updated_at) values ('store_probe', 'null', 0)
        on conflict (name) do update set updated_at = settings.updated_at + 1`,
      params: [],
    },
  ],
};

export interface WriteHealth {
  readonly ok: boolean;
  readonly detail?: string;
}

/**
 * Tracks whether a database is usable: `look` finds no problem, and the last commit did not fail.
 */
export function trackWriteHealth(
  write: (write: Write) => Promise<Row[][]>,
  look: () => Promise<void> | void,
) {
  let failure: CallError | undefined;

  async function writing(work: Promise<Row[][]>): Promise<Row[][]> {
    try {
      const rows = await work;
      failure = undefined;
      return rows;
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (!isStatementError(error)) failure = error;
      throw error;
    }
  }

  return {
    writing,
    async health(): Promise<WriteHealth> {
      try {
        await look();
        // There may be no more writes, so a probe write detects that the disk has space again.
        if (failure) await writing(write(PROBE));
        return { ok: true };
      } catch (thrown) {
        return { ok: false, detail: CallError.from(thrown).message };
      }
    },
  };
}
