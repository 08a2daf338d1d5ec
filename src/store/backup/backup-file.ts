import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CallError } from '#core/errors/call-error.ts';
import { asSentence } from '#core/messages/sentence.ts';
import type { AuditKey } from '../audit/keys.ts';
import type { Cell } from '../database.ts';
import { unfinishedFile } from './unfinished-backups.ts';

/**
 * A backup is gzipped lines of JSON: a header, optionally the audit keys, then for each table its
 * columns and its rows, then an end with the number of rows and the digest of all lines before it.
 * The same format works for SQLite and PostgreSQL.
 */
export interface BackupHeader {
  readonly exai_backup: 1;
  readonly schema: number;
  readonly created_at: string;
}

export type BackupEntry =
  | { readonly is: 'header'; readonly header: BackupHeader }
  | { readonly is: 'key'; readonly key: AuditKey }
  | { readonly is: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly is: 'row'; readonly values: readonly Cell[] };

// More than a turn of the largest message with every character escaped.
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const MAX_BRACKETS = 2;
const MAX_COMMAS = 64;

let parts = 0;

/**
 * Writes a temporary file and links it to the target at the end, so that a backup is complete or
 * absent and never overwrites another.
 */
export async function writeBackupFile(
  file: string,
  entries: AsyncIterable<BackupEntry>,
): Promise<void> {
  if (existsSync(file)) throw alreadyThere(file);
  const unfinished = unfinishedFile(file, ++parts);
  try {
    await pipeline(
      Readable.from(toLines(entries)),
      createGzip({ level: 6 }),
      createWriteStream(unfinished, { mode: 0o600, flags: 'wx' }),
    );
    await syncPath(unfinished);
    await link(unfinished, file);
    await syncPath(dirname(file));
  } catch (thrown) {
    throw failedToWrite(thrown, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
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
    case 'key':
      return {
        audit_key: Buffer.from(entry.key.key).toString('base64url'),
        writer: entry.key.writerId,
        from: entry.key.fromSeq,
      };
    case 'table':
      return { table: entry.table, columns: entry.columns };
    case 'row':
      return entry.values.map(toJsonCell);
  }
}

/** Bytes are base64; the schema says which columns have them. */
export function toJsonCell(value: Cell): string | number | null {
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}

/**
 * The entries of a backup, one per line. The end entry is checked against all lines before it and
 * not returned.
 */
export async function* readBackupLines(file: string): AsyncIterable<unknown> {
  if (!isRegularFile(file)) throw unusableBackupError(file, 'it is not a file');
  const source = createReadStream(file);
  const unzipped = source.pipe(createGunzip());
  source.on('error', (error) => unzipped.destroy(error));
  const digest = createHash('sha256');
  let rows = 0;
  let ended = false;
  try {
    for await (const line of readLines(unzipped, MAX_LINE_BYTES)) {
      if (ended) throw unusableBackupError(file, 'there is something after its end');
      const json = parseLine(line, file);
      if (isEnd(json)) {
        if (!isEqualEnd(json, rows, digest.digest('hex')))
          throw unusableBackupError(file, 'its content was changed');
        ended = true;
        continue;
      }
      digest.update(`${line}\n`);
      if (Array.isArray(json)) rows += 1;
      yield json;
    }
  } catch (thrown) {
    throw failedToRead(thrown, file);
  } finally {
    source.destroy();
  }
  if (!ended) throw unusableBackupError(file, 'its end is missing');
}

function isRegularFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch (thrown) {
    throw CallError.from(thrown, {
      fix: 'Backups lie in EXAI_HOME/backups unless you chose a place.',
    });
  }
}

function parseLine(line: string, file: string): unknown {
  if (!isShallow(line)) throw unusableBackupError(file, 'a line of it is not a row');
  try {
    return JSON.parse(line);
  } catch (thrown) {
    throw unusableBackupError(file, 'a line of it cannot be read', thrown);
  }
}

/**
 * Rejects lines that cannot be a row before parsing, because a few kilobytes of zipped brackets
 * would become gigabytes of lists.
 */
function isShallow(line: string): boolean {
  let brackets = 0;
  let commas = 0;
  let isText = false;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === '"') isText = !isText;
    else if (isText && sign === '\\') at += 1;
    else if (isText) continue;
    else if (sign === ',') commas += 1;
    else if (sign === '[' || sign === '{') brackets += 1;
    if (brackets > MAX_BRACKETS || commas > MAX_COMMAS) return false;
  }
  return true;
}

function isEnd(json: unknown): json is { end: unknown; rows?: unknown; sha256?: unknown } {
  return typeof json === 'object' && json !== null && 'end' in json;
}

function isEqualEnd(
  end: { rows?: unknown; sha256?: unknown },
  rows: number,
  sha256: string,
): boolean {
  return end.rows === rows && end.sha256 === sha256;
}

function failedToRead(thrown: unknown, file: string): CallError {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code?.startsWith('Z_'))
    return unusableBackupError(file, 'it is cut off or not a backup', thrown);
  const error = CallError.from(thrown);
  return error.class === 'too_large'
    ? unusableBackupError(file, 'a line of it is too long', thrown)
    : error;
}

export function unusableBackupError(file: string, why: string, cause?: unknown): CallError {
  return new CallError('validation', `${file} cannot be restored: ${why}.`, {
    fix: 'Use another backup; nothing was changed.',
    ...(cause !== undefined && { cause }),
  });
}

export function failedToWrite(thrown: unknown, file: string): CallError {
  if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return alreadyThere(file);
  const error = CallError.from(thrown);
  if (error.class === 'internal') return error;
  const { message, reason: why } = error;
  const what = why?.code === 'system_failure' ? why.params.what : message;
  return new CallError(error.class, asSentence(`The backup ${file} cannot be written: ${what}`), {
    fix: 'Choose another place; no part of it was left behind.',
    cause: thrown,
  });
}

export function alreadyThere(file: string): CallError {
  return new CallError('conflict', `${file} is already there.`, {
    fix: 'Choose another name; a backup never overwrites.',
  });
}

const NEWLINE = 0x0a;

/**
 * The lines of a byte stream, without their newline. Node's readline also breaks at U+2028, which
 * JSON does not escape, and buffers a line of any length.
 */
async function* readLines(stream: Readable, maxBytes: number): AsyncIterable<string> {
  let pending: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      held = 0;
      from = end + 1;
    }
    held += chunk.length - from;
    if (held > maxBytes)
      throw new CallError('too_large', `A line is longer than ${maxBytes} bytes.`);
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  if (held > 0) yield Buffer.concat(pending).toString('utf8');
}
