import { CallError } from '#core/call-error.ts';
import type { Row, Write } from './database.ts';
import { isOwnFault } from './group-commit.ts';

const PROBE: Write = {
  statements: [
    {
      sql: `insert into settings (name, value, updated_at) values ('store_probe', 'null', 0)
        on conflict (name) do update set updated_at = settings.updated_at + 1`,
      params: [],
    },
  ],
};

export interface Health {
  readonly ok: boolean;
  readonly detail?: string;
}

/** Tells whether a database can be used: `look` finds nothing wrong with it, and the last commit did not fail. */
export function watchWrites(
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
      if (!isOwnFault(error)) failure = error;
      throw error;
    }
  }

  return {
    writing,
    async health(): Promise<Health> {
      try {
        await look();
        // Nobody may be writing any more; without a try, a disk that has room again would go unnoticed.
        if (failure) await writing(write(PROBE));
        return { ok: true };
      } catch (thrown) {
        return { ok: false, detail: CallError.from(thrown).message };
      }
    },
  };
}
