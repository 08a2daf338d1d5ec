import { statSync } from 'node:fs';
import { isOpenToOthers } from '#config/home.ts';
import { shellQuote } from '#core/shell-quote.ts';
import { existingParent, isUsable } from '#config/usable-home.ts';
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
    fix: `chmod 700 ${shellQuote(root)}`,
  };
}
