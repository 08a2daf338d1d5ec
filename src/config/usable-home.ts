import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Home } from './home.ts';

/** Refuses a home that this user cannot use, before its files give other reasons. Looks only, and makes nothing. */
export function checkHome({ root }: Home): void {
  if (isUsable(existingParent(root))) return;
  throw new CallError('permission', `EX-AI cannot use its home ${root}.`, {
    field: 'EXAI_HOME',
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'a folder that you may write to' }),
      'Or make that folder writable for you.',
    ],
  });
}

/** The path itself, or the closest folder above it that exists. */
export function existingParent(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingParent(dirname(path));
}

export function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    // Whatever the reason, it cannot be used.
    return false;
  }
}
