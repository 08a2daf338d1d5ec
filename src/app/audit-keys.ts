import { renameSync } from 'node:fs';
import { readFileIfExists, writePrivateFile } from '#config/home/private-files.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { readAuditKey, type AuditKey, type AuditKeys } from '#store/audit/keys.ts';

const KEY_BYTES = 32;

/**
 * The keys that prove audit rows, in a file of the home. A daemon creates its own, and a restore
 * may add those of others. They are never in the database, because anyone with write access to it
 * could then forge proofs.
 */
export interface AuditKeysFile extends AuditKeys {
  /** Adds the unknown ones. */
  add(keys: readonly AuditKey[]): void;
  /** Lowers the recorded heads: after a restore a chain continues from an earlier row. */
  lower(headOf: (writerId: string) => Promise<number>): Promise<void>;
}

export function openAuditKeys(
  file: string,
  random: Random,
  log?: Pick<Log, 'warn'>,
): AuditKeysFile {
  const found = readKeys(file);
  if (!found) {
    // The unreadable file is preserved, because it may be repairable by hand.
    const backup = `${file}.damaged`;
    renameSync(file, backup);
    log?.warn('audit_keys_damaged', { kept: backup });
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
    recordHead(writerId, seq) {
      const isNew = ({ writerId: of, untilSeq = 0 }: AuditKey) => of === writerId && untilSeq < seq;
      if (!known.some(isNew)) return;
      store(known.map((each) => (isNew(each) ? { ...each, untilSeq: seq } : each)));
    },
    add(others) {
      const fresh = others.filter((other) => !known.some((each) => isSame(each, other)));
      // Keys of a backup come first: the home's own stay the newest.
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

/** Reads the keys without changing the file. */
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
  const text = readFileIfExists(file);
  if (text === undefined) return [];
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (!Array.isArray(keys)) return undefined;
    const read = keys.map((key: unknown) => readAuditKey(asRecord(key)));
    return read.every((key) => key !== undefined) ? read : undefined;
  } catch {
    // Not JSON: the caller preserves the file and starts a new one.
    return undefined;
  }
}

function asRecord(value: unknown): Parameters<typeof readAuditKey>[0] {
  const { writer, from, key, until } = (value ?? {}) as Partial<Parameters<typeof readAuditKey>[0]>;
  return { writer, from, key, until };
}
