import { readFileSync } from 'node:fs';
import type { CallError } from '#core/errors/call-error.ts';
import type { InitClient } from './client-definition.ts';
import { INIT_CLIENTS } from './clients.ts';
import { SETTINGS_FORMATS, withoutEntry } from './edit-settings.ts';
import { isUnchangedSince, isSameJson } from './plan-init.ts';
import type { InitRecord } from './records.ts';
import {
  encodeSettings,
  readSettingsFile,
  removeSettingsFile,
  replaceSettingsFile,
  sha256,
  type SettingsFile,
} from './settings-file.ts';
import { settingsError } from './settings-syntax-error.ts';

/** The plan for undoing one change. */
export type UndoPlan = { readonly record: InitRecord; readonly client: InitClient } & (
  | UndoChange
  /** Our entry is not in it any more. */
  | { readonly is: 'gone' }
  /** The user changed our entry, so it stays. */
  | { readonly is: 'own' }
  | { readonly is: 'refused'; readonly error: CallError }
);

export type UndoChange =
  /** The original bytes; the text is for display. */
  | {
      readonly is: 'restore';
      readonly found: SettingsFile;
      readonly bytes: Buffer;
      readonly text: string;
    }
  | { readonly is: 'remove'; readonly found: SettingsFile; readonly folders: readonly string[] }
  /** The file was changed since, so only our entry is removed. */
  | { readonly is: 'take-out'; readonly found: SettingsFile; readonly text: string };

export function planUndo(record: InitRecord): UndoPlan[] {
  const client = INIT_CLIENTS.find(({ id }) => id === record.client);
  if (client === undefined) return [];
  try {
    return [{ record, client, ...planUndoChange(record, client) }];
  } catch (thrown) {
    return [{ record, client, is: 'refused', error: settingsError(thrown, record.file) }];
  }
}

function planUndoChange(record: InitRecord, { format: name }: InitClient) {
  const { file, before, member, made, entry } = record;
  const found = readSettingsFile(file);
  if (found === undefined) return { is: 'gone' } as const;
  if (before?.is === 'bytes' && sha256(found.bytes) === before.sha256)
    return { is: 'gone' } as const;
  if (before && isUnchangedSince(found, record)) {
    if (before.is === 'none') return { is: 'remove', found, folders: before.folders } as const;
    const bytes = readBackup(before);
    if (bytes) return { is: 'restore', found, bytes, text: bytes.toString() } as const;
  }
  const format = SETTINGS_FORMATS[name];
  const there = format.at(found.text, member);
  if (there === undefined) return { is: 'gone' } as const;
  if (!isSameJson(there, entry)) return { is: 'own' } as const;
  return { is: 'take-out', found, text: withoutEntry(format, found.text, member, made) } as const;
}

/** The backup; undefined if it was changed. Then the entry is removed from the current file. */
function readBackup({ backup, sha256: expected }: { backup: string; sha256: string }) {
  try {
    const bytes = readFileSync(backup);
    return sha256(bytes) === expected ? bytes : undefined;
  } catch {
    // A missing or unreadable backup is treated the same.
    return undefined;
  }
}

export function applyUndo(change: UndoChange): void {
  switch (change.is) {
    case 'restore':
      return replaceSettingsFile(change.found, change.bytes);
    case 'remove':
      return removeSettingsFile(change.found, change.folders);
    case 'take-out':
      return replaceSettingsFile(change.found, encodeSettings(change.text, change.found.mark));
  }
}
