import type { Home } from '#config/home.ts';
import type { InitClient } from './client.ts';
import { isAsWritten, type InitChange } from './plan-init.ts';
import { dropRecord, keepBackup, keepRecord, type InitRecord } from './records.ts';
import { createSettings, replaceSettings } from './replace-file.ts';
import { sha256, toBytes } from './settings-file.ts';

/**
 * Writes what was planned. Backup and record are on disk before the settings are touched, so that a crash in between leaves
 * something that undo understands.
 */
export function applyInit(client: InitClient, change: InitChange, home: Home, at: string): void {
  const { file, found, text, member, made, entry, earlier } = change;
  const bytes = toBytes(text, found?.mark ?? 'none');
  const backup = found && keepBackup(home, client.id, file, found.bytes, at);
  const record: InitRecord = {
    client: client.id,
    file,
    at,
    member,
    made: earlier?.made ?? made,
    entry,
    after: sha256(bytes),
    ...before(change, backup),
  };
  keepRecord(home, record);
  try {
    if (found) return replaceSettings(found, bytes);
    const folders = createSettings(file, bytes, client.mode);
    keepRecord(home, { ...record, before: { is: 'none', folders } });
  } catch (thrown) {
    if (earlier) keepRecord(home, earlier);
    else dropRecord(home, record);
    throw thrown;
  }
}

function before(
  { found, earlier }: InitChange,
  backup: string | undefined,
): Pick<InitRecord, 'before'> {
  if (found === undefined || backup === undefined) return { before: { is: 'none', folders: [] } };
  if (earlier === undefined) {
    return { before: { is: 'bytes', sha256: sha256(found.bytes), backup } };
  }
  return earlier.before && isAsWritten(found, earlier) ? { before: earlier.before } : {};
}
