import { join } from 'node:path';
import type { Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';

/**
 * The program and environment of the service. Its environment has only the home; all other settings
 * are in the home.
 */
export interface ServiceSpec {
  /** The program and its arguments, with absolute paths. */
  readonly program: readonly [string, ...string[]];
  /** The home of the daemon. */
  readonly home: string;
  /** Whether the home must be passed, because the daemon would use another one by default. */
  readonly homeIs: 'default' | 'custom';
  /** The time to stop before it is killed. */
  readonly stopWithinS: number;
}

export interface SpecOptions {
  readonly home: Home;
  readonly program: readonly [string, ...string[]];
  /**
   * The user's home folder as the system knows it, which a service gets; undefined where the user
   * has no account.
   */
  readonly accountFolder: string | undefined;
  readonly drainMs: number;
}

/** The time to stop the daemon's parts after the drain, with a margin. */
const AFTER_DRAIN_S = 30;
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001F\u007F]/;

export function serviceSpec({ home, program, accountFolder, drainMs }: SpecOptions): ServiceSpec {
  const { root } = home;
  for (const path of [...program, root]) checkPath(path);
  const isDefault = accountFolder !== undefined && root === join(accountFolder, '.exai');
  return {
    program: [...program, 'serve'],
    home: root,
    homeIs: isDefault ? 'default' : 'custom',
    stopWithinS: Math.ceil(drainMs / 1000) + AFTER_DRAIN_S,
  };
}

/**
 * Throws for control characters: neither systemd nor XML can quote all of them, and no path has
 * them on purpose.
 */
function checkPath(path: string): void {
  if (!CONTROL.test(path)) return;
  throw new CallError(
    'validation',
    `A service cannot be given the path ${JSON.stringify(path)}, which has control characters.`,
    { fix: 'Rename that folder, then run this again.' },
  );
}
