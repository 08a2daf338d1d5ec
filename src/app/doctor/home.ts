import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOpenToOthers } from '#config/home.ts';
import type { Check, Examine } from './check.ts';

/** The home folder: there, usable, and private. Looks only; the daemon makes what is missing. */
export const home: Examine = ({ home: { root } }) => {
  const check = { id: 'home', title: 'Home' } as const;
  const nearest = existingParent(root);
  if (!isUsable(nearest)) {
    return [
      {
        ...check,
        status: 'fail',
        detail: `${root} cannot be written`,
        fix: 'Make it writable for you, or set EXAI_HOME to a folder that is.',
      },
    ];
  }
  if (nearest !== root) return [{ ...check, status: 'ok', detail: `${root}, made at first start` }];
  return [{ ...check, ...privacy(root) }];
};

function privacy(root: string): Pick<Check, 'status' | 'detail' | 'fix'> {
  if (!isOpenToOthers(statSync(root).mode)) return { status: 'ok', detail: root };
  return {
    status: 'warn',
    detail: `${root} can be read by other users`,
    fix: `chmod 700 ${root}`,
  };
}

/** The path itself, or the closest folder above it that exists. */
export function existingParent(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingParent(dirname(path));
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    // Whatever the reason, it cannot be used.
    return false;
  }
}
