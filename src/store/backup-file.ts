import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CallError } from '#core/call-error.ts';
import type { Value } from './database.ts';

/**
 * A backup is gzipped lines of JSON: a header, then for each table its columns and its rows, then an end with the
 * number of rows and the digest of all lines before it. The same file fits SQLite and PostgreSQL.
 */
export interface BackupHeader {
  readonly exai_backup: 1;
  readonly schema: number;
  readonly created_at: string;
}

export type BackupEntry =
  | { readonly is: 'header'; readonly header: BackupHeader }
  | { readonly is: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly is: 'row'; readonly values: readonly Value[] };

/** Writes beside the target and renames: a backup is whole or not there. */
export async function writeBackupFile(
  file: string,
  entries: AsyncIterable<BackupEntry>,
): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    await pipeline(
      Readable.from(toLines(entries)),
      createGzip({ level: 6 }),
      createWriteStream(unfinished, { mode: 0o600 }),
    );
    const handle = await open(unfinished, 'r+');
    await handle.sync();
    await handle.close();
    await rename(unfinished, file);
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  }
}

async function* toLines(entries: AsyncIterable<BackupEntry>): AsyncIterable<string> {
  const digest = createHash('sha256');
  let rows = 0;
  for await (const entry of entries) {
    if (entry.is === 'row') rows += 1;
    const line = `${JSON.stringify(toJson(entry))}\n`;
    digest.update(line);
    yield line;
  }
  yield `${JSON.stringify({ end: true, rows, sha256: digest.digest('hex') })}\n`;
}

function toJson(entry: BackupEntry): unknown {
  switch (entry.is) {
    case 'header':
      return entry.header;
    case 'table':
      return { table: entry.table, columns: entry.columns };
    case 'row':
      return entry.values;
  }
}

/** Every entry in order. Throws before its end if the file was cut, altered or is something else. */
export async function* readBackupFile(file: string): AsyncIterable<BackupEntry> {
  const source = createReadStream(file);
  const unzipped = source.pipe(createGunzip());
  source.on('error', (error) => unzipped.destroy(error));
  const digest = createHash('sha256');
  let rows = 0;
  let ended = false;
  try {
    for await (const line of createInterface({ input: unzipped, crlfDelay: Infinity })) {
      if (ended) throw unusable(file, 'there is something after its end');
      const entry = parseLine(line, file);
      if ('end' in entry) {
        checkEnd(entry, rows, digest, file);
        ended = true;
        continue;
      }
      digest.update(`${line}\n`);
      if (entry.is === 'row') rows += 1;
      yield entry;
    }
  } catch (thrown) {
    if (thrown instanceof CallError) throw thrown;
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw unusable(file, 'it is cut off or not a backup', thrown);
    throw CallError.from(thrown);
  } finally {
    source.destroy();
  }
  if (!ended) throw unusable(file, 'its end is missing');
}

interface BackupEnd {
  readonly end: true;
  readonly rows: number;
  readonly sha256: string;
}

function checkEnd(end: BackupEnd, rows: number, digest: Hash, file: string): void {
  if (end.rows !== rows || end.sha256 !== digest.digest('hex')) {
    throw unusable(file, 'its content was changed');
  }
}

function parseLine(line: string, file: string): BackupEntry | BackupEnd {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (thrown) {
    throw unusable(file, 'a line of it cannot be read', thrown);
  }
  if (Array.isArray(json)) return { is: 'row', values: json as Value[] };
  if (typeof json !== 'object' || json === null) throw unusable(file, 'it is not a backup');
  if ('end' in json) return json as BackupEnd;
  if ('table' in json && 'columns' in json) {
    return { is: 'table', ...(json as { table: string; columns: string[] }) };
  }
  if ('exai_backup' in json) return { is: 'header', header: json as BackupHeader };
  throw unusable(file, 'it is not a backup');
}

export function unusable(file: string, why: string, cause?: unknown): CallError {
  return new CallError('validation', `${file} cannot be restored: ${why}.`, {
    fix: 'Use another backup; nothing was changed.',
    ...(cause !== undefined && { cause }),
  });
}
