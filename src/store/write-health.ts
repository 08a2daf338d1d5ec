import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Row, Write } from './database.ts';
import { isStatementError } from './group-commit.ts';

const SET_PROBE = `insert into settings (name, value, updated_at) values ('store_probe', ?, 0)
  on conflict (name) do update set value = excluded.value, updated_at = settings.updated_at + 1`;

/** Larger than the free room within pages that a full disk leaves; different characters, as PostgreSQL compresses. */
const LARGE_VALUE = JSON.stringify(
  Array.from({ length: 16_384 }, (_, index) =>
    ((index * 2_654_435_761) % 4_294_967_296).toString(36),
  ),
);

function probe(value: string): Write {
  return { statements: [{ sql: SET_PROBE, params: [value] }] };
}

export interface WriteHealth {
  readonly ok: boolean;
  readonly detail?: string;
}

/** Failures of one operation, which say nothing about the next one. */
const SINGLE: ReadonlySet<ErrorClass> = new Set<ErrorClass>(['timeout', 'interrupted']);

/**
 * Tracks whether a database is usable: `look` finds no problem, and neither the last commit nor the last query of the
 * network failed.
 */
export function trackWriteHealth(
  write: (write: Write) => Promise<Row[][]>,
  look: () => Promise<void> | void,
  /** Further failures that say nothing about the next operation. */
  isSingle: (error: CallError) => boolean = () => false,
) {
  let failedWrite: CallError | undefined;
  let failedRead: CallError | undefined;
  let failedLook: CallError | undefined;

  async function writing(work: Promise<Row[][]>): Promise<Row[][]> {
    try {
      const rows = await work;
      failedWrite = undefined;
      return rows;
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (!isStatementError(error) && !isSingle(error)) failedWrite = error;
      throw error;
    }
  }

  async function reading<T>(work: Promise<T>): Promise<T> {
    try {
      const rows = await work;
      failedRead = undefined;
      return rows;
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (error.class === 'network' && !isSingle(error)) failedRead = error;
      throw error;
    }
  }

  async function looking(): Promise<void> {
    try {
      await look();
      failedLook = undefined;
      failedRead = undefined;
    } catch (thrown) {
      failedLook = CallError.from(thrown);
      throw failedLook;
    }
  }

  return {
    writing,
    reading,
    /** Why writes are expected to fail, as far as is known without asking the database. */
    failure(): CallError | undefined {
      return [failedLook, failedWrite, failedRead].find((each) => each && !SINGLE.has(each.class));
    },
    async health(): Promise<WriteHealth> {
      try {
        await looking();
        // There may be no more writes, so a probe detects that the disk has space again.
        if (failedWrite?.class === 'over_capacity') await write(probe(LARGE_VALUE));
        if (failedWrite) await writing(write(probe('null')));
        return { ok: true };
      } catch (thrown) {
        return { ok: false, detail: CallError.from(thrown).message };
      }
    },
  };
}
