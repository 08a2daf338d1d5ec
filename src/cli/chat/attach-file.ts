import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Environment } from '#config/environment.ts';
import { expandTilde, homePaths, userFolder } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import type { ChatFile } from './state.ts';

export interface ShellContext {
  readonly cwd: string;
  readonly env: Environment;
}

const MAX_BYTES = 10_000_000;

/**
 * Resolves a file or folder for the next message. Paths in the folder of the chat are sent to the
 * daemon, which reads them again for later messages. Other files are read here, because the daemon
 * may not access them.
 */
export function resolveChatFile(name: string, { cwd, env }: ShellContext): ChatFile {
  const path = resolve(cwd, expandTilde(unquoted(name), env));
  const shown = oneLine(path, 200);
  if (path.includes('\0')) {
    throw new CallError('validation', `${shown} is not a path.`, { fix: 'Name a text file.' });
  }
  try {
    const found = statSync(path);
    const isNear = isInside(path, cwd) && !isTooWide(cwd, userFolder(env));
    // Files of EX-AI itself, such as keys, are sent as paths: the daemon rejects them.
    if (isNear || isInside(path, homePaths(env).root)) return path;
    if (found.isDirectory()) {
      throw new CallError('permission', `${shown} is a folder outside of the one you chat in.`, {
        fix: 'Start the chat there, or name single files.',
      });
    }
    if (found.size > MAX_BYTES) {
      throw new CallError('too_large', `${shown} is larger than ${MAX_BYTES / 1_000_000} MB.`, {
        fix: 'Name a file with the part that matters.',
      });
    }
    if (!found.isFile()) {
      throw new CallError('validation', `${shown} is not a readable file.`, {
        fix: 'Name a text file.',
      });
    }
    return { name: path, text: textOf(readFileSync(path), shown) };
  } catch (thrown) {
    if (thrown instanceof CallError) throw thrown;
    const { class: errorClass, message } = CallError.from(thrown);
    throw new CallError(errorClass, message, {
      fix: 'Relative paths begin where the chat was started.',
      cause: thrown,
    });
  }
}

export function chatFileName(file: ChatFile): string {
  return typeof file === 'string' ? file : file.name;
}

function textOf(bytes: Uint8Array, shown: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Reported below, like a NUL.
  }
  throw new CallError('validation', `${shown} is not UTF-8 text.`, { fix: 'Name a text file.' });
}

/** Removes quotes and escapes that a shell or a file manager adds. */
function unquoted(text: string): string {
  const [, inner] =
    /^(?:'([^']*)'|"([^"]*)")$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  return inner ?? text.replaceAll(/\\([ ()'"&])/g, '$1');
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Whether the folder is too large to be a workspace: the root of a disk, or the user's home. */
function isTooWide(cwd: string, home: string): boolean {
  return dirname(cwd) === cwd || isInside(home, cwd);
}
