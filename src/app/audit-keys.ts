import { renameSync } from 'node:fs';
import { writePrivateFile } from '#config/write-private.ts';
import { CallError } from '#core/call-error.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry.ts';
import { readAuditKey, type AuditKey, type AuditKeys } from '#store/audit-key.ts';
import { readIfThere } from '#config/read-if-there.ts';

const KEY_BYTES = 32;

/**
 * The keys that prove audit rows, in a file of the home: a daemon makes its own, and a restore may bring those of others. They are never
 * in the database, as whoever can write there could then prove anything.
 */
export interface AuditKeysFile extends AuditKeys {
  /** Adds those that are not known yet. */
  add(keys: readonly AuditKey[]): void;
  /** After a restore a chain goes on from an earlier row. */
  lower(headOf: (writerId: string) => Promise<number>): Promise<void>;
}

export function openAuditKeys(
  file: string,
  random: Random,
  log?: Pick<Log, 'warn'>,
): AuditKeysFile {
  const found = readKeys(file);
  if (!found) {
    // One that cannot be read may still be mended by hand.
    const kept = `${file}.damaged`;
    renameSync(file, kept);
    log?.warn('audit_keys_damaged', { kept });
  }
  let known = found ?? [];

  function store(next: readonly AuditKey[]): void {
    const rows = next.map(({ writerId, fromSeq, untilSeq, key }) => ({
      writer: writerId,
      from: fromSeq,
      ...(untilSeq !== undefined && { until: untilSeq }),
      key: Buffer.from(key).toString('base64url'),
    }));
    writePrivateFile(file, `${JSON.stringify({ version: 1, keys: rows }, null, 2)}\n`);
    known = next;
  }

  return {
    list: () => known,
    make(writerId, fromSeq) {
      const made = { writerId, fromSeq, key: random(KEY_BYTES) };
      store([...known, made]);
      return made;
    },
    note(writerId, seq) {
      const isNew = ({ writerId: of, untilSeq = 0 }: AuditKey) => of === writerId && untilSeq < seq;
      if (!known.some(isNew)) return;
      store(known.map((each) => (isNew(each) ? { ...each, untilSeq: seq } : each)));
    },
    add(others) {
      const fresh = others.filter((other) => !known.some((each) => isSame(each, other)));
      // Those of a backup come first: the home's own stay the newest.
      if (fresh.length > 0) store([...fresh, ...known]);
    },
    async lower(headOf) {
      const lowered: AuditKey[] = [];
      for (const each of known) {
        const head = await headOf(each.writerId);
        const { untilSeq = 0 } = each;
        lowered.push({
          ...each,
          fromSeq: Math.min(each.fromSeq, head + 1),
          untilSeq: Math.min(untilSeq, head),
        });
      }
      store(lowered);
    },
  };
}

/** For whoever only looks: the file stays as it is. */
export function readAuditKeys(file: string): readonly AuditKey[] {
  const found = readKeys(file);
  if (found) return found;
  throw new CallError(
    'validation',
    `${file} is damaged, so the keys of the audit cannot be read.`,
    {
      fix: 'Put a copy of it back, or move it away: the chains are then checked by their links alone.',
    },
  );
}

function isSame(a: AuditKey, b: AuditKey): boolean {
  return a.writerId === b.writerId && Buffer.from(a.key).equals(b.key);
}

function readKeys(file: string): readonly AuditKey[] | undefined {
  const text = readIfThere(file);
  if (text === undefined) return [];
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (!Array.isArray(keys)) return undefined;
    const read = keys.map((key: unknown) => readAuditKey(asRecord(key)));
    return read.every((key) => key !== undefined) ? read : undefined;
  } catch {
    // Not JSON: the caller keeps it and begins anew.
    return undefined;
  }
}

function asRecord(value: unknown): Parameters<typeof readAuditKey>[0] {
  const { writer, from, key, until } = (value ?? {}) as Partial<Parameters<typeof readAuditKey>[0]>;
  return { writer, from, key, until };
}
