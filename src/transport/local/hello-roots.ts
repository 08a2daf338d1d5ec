import { dirname, isAbsolute, relative, resolve } from 'node:path';

/**
 * Folders that a client may name files in because it was started there. Not the root of a disk, nor the user's own
 * folder or one above it: IDEs start their servers there when no project is open, and keys and letters lie there too.
 */
export function helloRoots(cwd: string, userFolder: string): readonly string[] {
  if (!isAbsolute(cwd) || cwd.includes('\0')) return [];
  const folder = resolve(cwd);
  if (dirname(folder) === folder) return [];
  const toUser = relative(folder, resolve(userFolder));
  const holdsUser = toUser === '' || (!toUser.startsWith('..') && !isAbsolute(toUser));
  return holdsUser ? [] : [folder];
}
