import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Home } from '#config/home/home.ts';
import { writePrivateFile } from '#config/home/private-files.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { KeyPath } from '../init/client-definition.ts';
import type { SettingsFormatName } from '../init/edit-settings.ts';
import { readSettingsFile, sha256 } from '../init/settings-file.ts';
import { isFields } from './read-entry.ts';

/** A client's file that entries were removed from. Its old content is in the backup. */
export interface MovedFile {
  readonly client: string;
  readonly file: string;
  readonly format: SettingsFormatName;
  readonly paths: readonly KeyPath[];
  readonly backup: string;
  /** SHA-256 of the file before and after. */
  readonly before: string;
  readonly after: string;
}

/** What one run of `exai import` changed. Values are kept as digests. */
export interface ImportRecord {
  readonly at: string;
  readonly servers: readonly { readonly name: string; readonly digest: string }[];
  readonly variables: readonly { readonly name: string; readonly digest: string }[];
  readonly files: readonly MovedFile[];
}

export function importFolder(home: Home): string {
  return join(home.backupDir, 'import');
}

function recordsFile(home: Home): string {
  return join(importFolder(home), 'records.json');
}

export function prepareImportRecords(home: Home): string {
  mkdirSync(importFolder(home), { recursive: true, mode: 0o700 });
  return recordsFile(home);
}

/** Oldest first. */
export function loadImportRecords(home: Home): readonly ImportRecord[] {
  const path = recordsFile(home);
  const text = readSettingsFile(path)?.text;
  if (text === undefined) return [];
  const records = parse(text);
  if (Array.isArray(records) && records.every(isRecord)) return records;
  throw new CallError('validation', `${path} is damaged; it says what exai import has changed.`, {
    field: path,
    fix: 'Move it away. The backups beside it have the settings of your clients as they were.',
  });
}

export function saveImportRecords(home: Home, records: readonly ImportRecord[]): void {
  const text = `${JSON.stringify({ version: 1, records }, null, 2)}\n`;
  writePrivateFile(prepareImportRecords(home), text);
}

/** Stores the bytes of a client's file, which may hold keys, for its owner alone. */
export function saveMovedBackup(home: Home, client: string, file: string, bytes: Buffer): string {
  const folder = join(importFolder(home), client);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const backup = join(folder, `${sha256(bytes).slice(0, 16)}-${basename(file)}`);
  writeFileSync(backup, bytes, { mode: 0o600, flush: true });
  return backup;
}

/** The backup of a file; undefined if it is gone or was changed. */
export function readMovedBackup({ backup, before }: MovedFile): Buffer | undefined {
  try {
    const bytes = readFileSync(backup);
    return sha256(bytes) === before ? bytes : undefined;
  } catch {
    // The caller says that it is missing.
    return undefined;
  }
}

/** Of a value that is compared with a later one. */
export function digestOf(value: unknown): string {
  return sha256(Buffer.from(JSON.stringify(value) ?? ''));
}

function parse(text: string): unknown {
  try {
    return (JSON.parse(text) as { records?: unknown } | null)?.records;
  } catch {
    // Reported by the caller.
    return undefined;
  }
}

function isRecord(value: unknown): value is ImportRecord {
  if (!isFields(value)) return false;
  const { at, servers, variables, files } = value;
  return (
    typeof at === 'string' &&
    areNamed(servers) &&
    areNamed(variables) &&
    Array.isArray(files) &&
    files.every(isMovedFile)
  );
}

function areNamed(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (each) =>
        isFields(each) && typeof each['name'] === 'string' && typeof each['digest'] === 'string',
    )
  );
}

function isMovedFile(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { client, file, format, paths, backup, before, after } = value;
  const areTexts = [client, file, backup, before, after].every((each) => typeof each === 'string');
  const isFormat = ['json', 'json-comments', 'jsonc', 'toml'].includes(String(format));
  return areTexts && isFormat && Array.isArray(paths) && paths.every(isPath);
}

function isPath(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
  );
}
