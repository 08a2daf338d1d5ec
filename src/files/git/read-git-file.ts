import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { containsPath, type AllowedRoots } from '../allowed-roots.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { openInside } from '../open-inside.ts';
import {
  damagedRepository,
  outsideRoots,
  notARegularFile,
  PATH_FIELD,
  repositoryTooLarge,
} from './repository-errors.ts';

/** A file of a git directory. */
export interface GitFile {
  readonly bytes: Buffer;
  readonly modifiedNs: bigint;
}

/**
 * Reads a file of untrusted origin. Links are followed only inside the readable roots, pipes do not
 * block, and the opened file is compared with the checked one. Undefined if there is no such file.
 */
export async function readGitFile(
  folder: string,
  name: string,
  allowed: AllowedRoots,
  maxBytes: number,
): Promise<GitFile | undefined> {
  const real = await realOf(join(folder, name), name);
  if (real === undefined) return undefined;
  if (!containsPath(allowed, real)) throw outsideRoots(name);
  const opened = await openInside(real, allowed);
  if (opened.is === 'gone') return undefined;
  if (opened.is === 'special') throw notARegularFile(name);
  if (opened.is === 'changed') throw damagedRepository(name);
  if (opened.is === 'denied') {
    throw new CallError('permission', `The system does not let EX-AI read ${name}.`, {
      field: PATH_FIELD,
      fix: 'Give the user that EX-AI runs as the right to read it.',
    });
  }
  const { handle } = opened;
  try {
    if (opened.bytes > maxBytes) throw repositoryTooLarge(name, formatMegabytes(maxBytes));
    const about: BigIntStats = await handle.stat({ bigint: true });
    // Appended data is not needed, because git replaces these files.
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

/** Reads a short UTF-8 text. */
export async function readGitText(
  folder: string,
  name: string,
  allowed: AllowedRoots,
  maxBytes: number,
): Promise<string | undefined> {
  return (await readGitFile(folder, name, allowed, maxBytes))?.bytes.toString('utf8');
}

/** The kind of a path in a repository; links are followed. */
export async function fileKind(path: string): Promise<'file' | 'folder' | 'special' | 'absent'> {
  try {
    const about = await lstat(await realpath(path));
    return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'special';
  } catch {
    // An unreachable path counts as absent.
    return 'absent';
  }
}

async function realOf(path: string, name: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw code === 'ELOOP'
      ? damagedRepository(name)
      : CallError.from(thrown, { field: PATH_FIELD });
  }
}
