import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Home } from '#config/home/home.ts';
import { writePrivateFile } from '#config/home/private-files.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ServerEntry, KeyPath } from './client-definition.ts';
import { readSettingsFile, sha256 } from './settings-file.ts';

/** A change to a settings file that has not been undone. */
export interface InitRecord {
  /** The client's id. */
  readonly client: string;
  readonly file: string;
  readonly at: string;
  readonly member: KeyPath;
  /** The outermost key that was added. */
  readonly made: KeyPath;
  readonly entry: ServerEntry;
  /** SHA-256 of the file after the change. */
  readonly after: string;
  /**
   * The state before the first change: no file, or bytes in a backup file. Absent where our entry
   * was updated in a file that the user had changed since: then there is no state to restore.
   */
  readonly before?:
    | { readonly is: 'none'; readonly folders: readonly string[] }
    | { readonly is: 'bytes'; readonly sha256: string; readonly backup: string };
}

/** Backups per client; those of changes that were undone are kept, too. */
const MAX_BACKUPS = 5;

export function recordsFolder(home: Home): string {
  return join(home.backupDir, 'clients');
}

function recordsFile(home: Home): string {
  return join(recordsFolder(home), 'records.json');
}

/** Creates the folder of the records; returns the path of the file. */
export function prepareRecordsFile(home: Home): string {
  mkdirSync(recordsFolder(home), { recursive: true, mode: 0o700 });
  return recordsFile(home);
}

export function loadRecords(home: Home): InitRecord[] {
  const path = recordsFile(home);
  const text = readSettingsFile(path)?.text;
  if (text === undefined) return [];
  const records = parseRecords(text);
  if (Array.isArray(records) && records.every(isRecord)) return records;
  throw new CallError('validation', `${path} is damaged; it says what exai init has changed.`, {
    field: path,
    fix: 'Move it away. What can be undone by hand then lies beside it.',
  });
}

/** Replaces an earlier record of the same file. */
export function saveRecord(home: Home, record: InitRecord): void {
  writeRecords(home, [...loadRecords(home).filter(({ file }) => file !== record.file), record]);
}

export function removeRecord(home: Home, dropped: InitRecord): void {
  writeRecords(
    home,
    loadRecords(home).filter(({ file }) => file !== dropped.file),
  );
}

/**
 * Writes a backup that only its owner can read, as settings may have keys, and removes old ones.
 * Returns its path.
 */
export function saveBackup(home: Home, client: string, file: string, bytes: Buffer, at: string) {
  const folder = join(recordsFolder(home), client);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = at.replaceAll(/[:.]/g, '-');
  // The hash separates different backups within a millisecond.
  const backup = join(folder, `${stamp}-${sha256(bytes).slice(0, 8)}-${basename(file)}`);
  writeFileSync(backup, bytes, { mode: 0o600, flush: true });
  const inUse = loadRecords(home).map(({ before }) => before?.is === 'bytes' && before.backup);
  for (const old of readdirSync(folder).toSorted().slice(0, -MAX_BACKUPS)) {
    if (!inUse.includes(join(folder, old))) rmSync(join(folder, old), { force: true });
  }
  return backup;
}

function writeRecords(home: Home, records: readonly InitRecord[]): void {
  writePrivateFile(
    prepareRecordsFile(home),
    `${JSON.stringify({ version: 1, records }, null, 2)}\n`,
  );
}

function parseRecords(text: string): unknown {
  try {
    return (JSON.parse(text) as { records?: unknown } | null)?.records;
  } catch {
    // Invalid JSON is reported by the caller.
    return undefined;
  }
}

function isRecord(value: unknown): value is InitRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { client, file, member, made, entry, after, before } = value as Record<string, unknown>;
  const areTexts = [client, file, after].every((text) => typeof text === 'string');
  return areTexts && isPath(member) && isPath(made) && isObject(entry) && isBefore(before);
}

function isBefore(before: unknown): boolean {
  if (before === undefined) return true;
  if (!isObject(before)) return false;
  const { is, folders, sha256, backup } = before;
  if (is === 'none')
    return Array.isArray(folders) && folders.every((each) => typeof each === 'string');
  return is === 'bytes' && typeof sha256 === 'string' && typeof backup === 'string';
}

function isPath(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
