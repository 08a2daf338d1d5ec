import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { holds, type Area } from '../area.ts';
import { inMegabytes } from '#core/in-megabytes.ts';
import { openInside } from '../open-inside.ts';
import { damaged, keptOutside, notARegularFile, PATH_FIELD, tooLarge } from './repository-fault.ts';

/** A file of a repository's own data. */
export interface GitFile {
  readonly bytes: Buffer;
  readonly modifiedNs: bigint;
}

/**
 * Reads a file that anybody may have put there. Links are followed only within the area, pipes are not waited for, and what was opened
 * is compared with what was judged. Nothing when there is no such file.
 */
export async function readGitFile(
  folder: string,
  name: string,
  area: Area,
  maxBytes: number,
): Promise<GitFile | undefined> {
  const real = await realOf(join(folder, name), name);
  if (real === undefined) return undefined;
  if (!holds(area, real)) throw keptOutside(name);
  const opened = await openInside(real, area);
  if (opened.is === 'gone') return undefined;
  if (opened.is === 'special') throw notARegularFile(name);
  if (opened.is === 'changed') throw damaged(name);
  if (opened.is === 'denied') {
    throw new CallError('permission', `The system does not let EX-AI read ${name}.`, {
      field: PATH_FIELD,
      fix: 'Give the user that EX-AI runs as the right to read it.',
    });
  }
  const { handle } = opened;
  try {
    if (opened.bytes > maxBytes) throw tooLarge(name, inMegabytes(maxBytes));
    const about: BigIntStats = await handle.stat({ bigint: true });
    // What is appended meanwhile is not needed: git replaces these files.
    const buffer = Buffer.alloc(opened.bytes);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return { bytes: buffer.subarray(0, length), modifiedNs: about.mtimeNs };
  } finally {
    await handle.close();
  }
}

/** A short text, in UTF-8. */
export async function readGitText(
  folder: string,
  name: string,
  area: Area,
  maxBytes: number,
): Promise<string | undefined> {
  return (await readGitFile(folder, name, area, maxBytes))?.bytes.toString('utf8');
}

/** What a name in a repository is; a link counts as what it leads to. */
export async function kindOf(path: string): Promise<'file' | 'folder' | 'special' | 'absent'> {
  try {
    const about = await lstat(await realpath(path));
    return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'special';
  } catch {
    // What cannot be reached is not there for us.
    return 'absent';
  }
}

async function realOf(path: string, name: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw code === 'ELOOP' ? damaged(name) : CallError.from(thrown, { field: PATH_FIELD });
  }
}
