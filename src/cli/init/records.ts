import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Home } from '#config/home.ts';
import { writePrivateFile } from '#config/write-private.ts';
import { CallError } from '#core/call-error.ts';
import type { Entry, Path } from './client.ts';
import { readSettings, sha256 } from './settings-file.ts';

/** What was done to one settings file, as long as it is not undone. */
export interface InitRecord {
  /** The client's id. */
  readonly client: string;
  readonly file: string;
  readonly at: string;
  readonly member: Path;
  /** The outermost name that was made. */
  readonly made: Path;
  readonly entry: Entry;
  /** SHA-256 of the file as it was written. */
  readonly after: string;
  /**
   * How the file was before the first change: there was none; or its bytes lie in a file beside the records. Missing where our
   * entry was renewed in a file that somebody had changed since: then there is no state before us.
   */
  readonly before?:
    | { readonly is: 'none'; readonly folders: readonly string[] }
    | { readonly is: 'bytes'; readonly sha256: string; readonly backup: string };
}

/** Of one client; what was undone is kept, too, in case somebody wants it after all. */
const MOST_BACKUPS = 5;

export function recordsFolder(home: Home): string {
  return join(home.backupDir, 'clients');
}

function recordsFile(home: Home): string {
  return join(recordsFolder(home), 'records.json');
}

/** Makes the place for records, and names the file. */
export function openRecords(home: Home): string {
  mkdirSync(recordsFolder(home), { recursive: true, mode: 0o700 });
  return recordsFile(home);
}

export function readRecords(home: Home): InitRecord[] {
  const path = recordsFile(home);
  const text = readSettings(path)?.text;
  if (text === undefined) return [];
  const records = parsed(text);
  if (Array.isArray(records) && records.every(isRecord)) return records;
  throw new CallError('validation', `${path} is damaged; it says what exai init has changed.`, {
    field: path,
    fix: 'Move it away. What can be undone by hand then lies beside it.',
  });
}

/** In the place of the one for the same file, if there is one. */
export function keepRecord(home: Home, record: InitRecord): void {
  writeRecords(home, [...readRecords(home).filter(({ file }) => file !== record.file), record]);
}

export function dropRecord(home: Home, dropped: InitRecord): void {
  writeRecords(
    home,
    readRecords(home).filter(({ file }) => file !== dropped.file),
  );
}

/** Keeps bytes, for their owner alone, as settings may hold keys; and the last few of a client only. Names the file. */
export function keepBackup(home: Home, client: string, file: string, bytes: Buffer, at: string) {
  const folder = join(recordsFolder(home), client);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = at.replaceAll(/[:.]/g, '-');
  // Two within a millisecond are two, unless they are the same.
  const backup = join(folder, `${stamp}-${sha256(bytes).slice(0, 8)}-${basename(file)}`);
  writeFileSync(backup, bytes, { mode: 0o600, flush: true });
  const inUse = readRecords(home).map(({ before }) => before?.is === 'bytes' && before.backup);
  for (const old of readdirSync(folder).toSorted().slice(0, -MOST_BACKUPS)) {
    if (!inUse.includes(join(folder, old))) rmSync(join(folder, old), { force: true });
  }
  return backup;
}

function writeRecords(home: Home, records: readonly InitRecord[]): void {
  writePrivateFile(openRecords(home), `${JSON.stringify({ version: 1, records }, null, 2)}\n`);
}

function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as { records?: unknown } | null)?.records;
  } catch {
    // Damaged, as is said where records are missing.
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
