import { join } from 'node:path';
import type { Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';

/** What a service starts, whoever starts it. Of the environment it has the home alone: all else stands there. */
export interface ServiceSpec {
  /** The program and its arguments, by absolute paths. */
  readonly program: readonly [string, ...string[]];
  /** Whose daemon it is. */
  readonly home: string;
  /** Whether the daemon has to be told, as it would take another one by itself. */
  readonly homeIs: 'default' | 'told';
  /** Before this it is not killed. */
  readonly stopWithinS: number;
}

export interface SpecOptions {
  readonly home: Home;
  readonly program: readonly [string, ...string[]];
  /** The user's folder as the system has it, which is the one that a service gets; unknown where the user has no account. */
  readonly accountFolder: string | undefined;
  readonly drainMs: number;
}

/** What a daemon takes for its parts after the drain, with room. */
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
    homeIs: isDefault ? 'default' : 'told',
    stopWithinS: Math.ceil(drainMs / 1000) + AFTER_DRAIN_S,
  };
}

/** No quoting of systemd or XML takes all of these, and no path that anybody chose has them. */
function checkPath(path: string): void {
  if (!CONTROL.test(path)) return;
  throw new CallError(
    'validation',
    `A service cannot be given the path ${JSON.stringify(path)}, which has control characters.`,
    { fix: 'Rename that folder, then run this again.' },
  );
}
