import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';

/** Refuses a home that this user cannot use, before its files give other reasons. Looks only, and makes nothing. */
export function checkHome({ root }: Home): void {
  if (isUsable(existingParent(root))) return;
  throw new CallError('permission', `EX-AI cannot use its home ${root}.`, {
    field: 'EXAI_HOME',
    fix: 'Make that folder writable for you, or set EXAI_HOME to a folder that is.',
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
