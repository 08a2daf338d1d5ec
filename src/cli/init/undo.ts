import { readFileSync } from 'node:fs';
import type { CallError } from '#core/call-error.ts';
import type { InitClient } from './client.ts';
import { INIT_CLIENTS } from './clients/index.ts';
import { withoutEntry } from './edit-settings.ts';
import { FORMATS } from './format.ts';
import { isAsWritten, isSame } from './plan-init.ts';
import type { InitRecord } from './records.ts';
import { refusalOf } from './refusal.ts';
import { removeSettings, replaceSettings } from './replace-file.ts';
import { readSettings, sha256, toBytes, type SettingsFile } from './settings-file.ts';

/** What undoing does to one settings file. */
export type UndoPlan = { readonly record: InitRecord; readonly client: InitClient } & (
  | UndoChange
  /** There is nothing of ours in it any more. */
  | { readonly is: 'gone' }
  /** A person changed our entry, which is theirs now. */
  | { readonly is: 'own' }
  | { readonly is: 'refused'; readonly error: CallError }
);

export type UndoChange =
  /** Its bytes of before; the text is for showing. */
  | {
      readonly is: 'restore';
      readonly found: SettingsFile;
      readonly bytes: Buffer;
      readonly text: string;
    }
  | { readonly is: 'remove'; readonly found: SettingsFile; readonly folders: readonly string[] }
  /** The file was changed since, so that only our entry is taken out. */
  | { readonly is: 'take-out'; readonly found: SettingsFile; readonly text: string };

export function planUndo(record: InitRecord): UndoPlan[] {
  const client = INIT_CLIENTS.find(({ id }) => id === record.client);
  if (client === undefined) return [];
  try {
    return [{ record, client, ...undone(record, client) }];
  } catch (thrown) {
    return [{ record, client, is: 'refused', error: refusalOf(thrown, record.file) }];
  }
}

function undone(record: InitRecord, { format: name }: InitClient) {
  const { file, before, member, made, entry } = record;
  const found = readSettings(file);
  if (found === undefined) return { is: 'gone' } as const;
  if (before?.is === 'bytes' && sha256(found.bytes) === before.sha256)
    return { is: 'gone' } as const;
  if (before && isAsWritten(found, record)) {
    if (before.is === 'none') return { is: 'remove', found, folders: before.folders } as const;
    const bytes = readBackup(before);
    if (bytes) return { is: 'restore', found, bytes, text: bytes.toString() } as const;
  }
  const format = FORMATS[name];
  const there = format.at(found.text, member);
  if (there === undefined) return { is: 'gone' } as const;
  if (!isSame(there, entry)) return { is: 'own' } as const;
  return { is: 'take-out', found, text: withoutEntry(format, found.text, member, made) } as const;
}

/** Nothing if it is not what was kept: then the entry is taken out of the file as it is. */
function readBackup({ backup, sha256: expected }: { backup: string; sha256: string }) {
  try {
    const bytes = readFileSync(backup);
    return sha256(bytes) === expected ? bytes : undefined;
  } catch {
    // Gone or unreadable comes to the same.
    return undefined;
  }
}

export function applyUndo(change: UndoChange): void {
  switch (change.is) {
    case 'restore':
      return replaceSettings(change.found, change.bytes);
    case 'remove':
      return removeSettings(change.found, change.folders);
    case 'take-out':
      return replaceSettings(change.found, toBytes(change.text, change.found.mark));
  }
}
