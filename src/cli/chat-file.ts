import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Environment } from '#config/environment.ts';
import { expandTilde, homePaths, userFolder } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { oneLine } from '#core/one-line.ts';
import type { ChatFile } from './chat-state.ts';

export interface Place {
  readonly cwd: string;
  readonly env: Environment;
}

const MAX_BYTES = 10_000_000;

/**
 * A file or folder for the next message. What lies in the folder of the chat is named to the daemon, which reads it anew for each
 * later message; another file is read here, as the daemon does not reach everywhere its user does.
 */
export function chatFile(given: string, { cwd, env }: Place): ChatFile {
  const path = resolve(cwd, expandTilde(unquoted(given), env));
  const shown = oneLine(path, 200);
  if (path.includes('\0')) {
    throw new CallError('validation', `${shown} is no path.`, { fix: 'Name a text file.' });
  }
  try {
    const found = statSync(path);
    const isNear = isInside(path, cwd) && !isTooWide(cwd, userFolder(env));
    // What EX-AI keeps for itself, such as keys, is the daemon's to refuse.
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
      throw new CallError('validation', `${shown} is no file to read from.`, {
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

export function fileName(file: ChatFile): string {
  return typeof file === 'string' ? file : file.name;
}

function textOf(bytes: Uint8Array, shown: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below, for both.
  }
  throw new CallError('validation', `${shown} is no text in UTF-8.`, { fix: 'Name a text file.' });
}

/** As a shell, or a file manager from which it was dragged, would write it. */
function unquoted(text: string): string {
  const [, inner] =
    /^(?:'([^']*)'|"([^"]*)")$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  return inner ?? text.replaceAll(/\\([ ()'"&])/g, '$1');
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The daemon opens neither a whole disk nor a whole home because somebody stands there. */
function isTooWide(cwd: string, home: string): boolean {
  return dirname(cwd) === cwd || isInside(home, cwd);
}
