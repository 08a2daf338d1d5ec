import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Home } from './home.ts';

/**
 * Throws for a home that this user cannot use, before its files cause less clear errors. Creates
 * nothing.
 */
export function checkUsableHome({ root }: Home): void {
  if (isUsable(existingParent(root))) return;
  throw new CallError('permission', `EX-AI cannot use its home ${root}.`, {
    field: 'EXAI_HOME',
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'a folder that you may write to' }),
      'Or make that folder writable for you.',
    ],
  });
}

/** The path, or its closest parent folder that exists. */
export function existingParent(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingParent(dirname(path));
}

export function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    // Any error means that it cannot be used.
    return false;
  }
}
