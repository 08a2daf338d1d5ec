import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '#config/home/private-files.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { renderLoginFile } from '#transport/page/login.ts';

interface LoginFiles {
  newPath(): string;
  write(path: string, login: { readonly loginUrl: string; readonly code: string }): void;
  /** Never throws: the code in the file is no longer valid. */
  remove(path: string): void;
}

/**
 * The files with which `exai open` hands a code to a browser: a form that posts it, so that it is
 * in no address, history or list of processes. Only the owner can read them. Files that a killed
 * daemon left are removed; their codes ended with it.
 */
export function createLoginFiles(cacheDir: string, random: Random, log: Log): LoginFiles {
  const folder = join(cacheDir, 'open');
  const remove = (path: string) => {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (thrown) {
      log.warn('login_file_not_removed', { error: CallError.from(thrown).toJSON() });
    }
  };
  remove(folder);
  return {
    newPath: () => join(folder, `${Buffer.from(random(8)).toString('hex')}.html`),
    write(path, { loginUrl, code }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writePrivateFile(path, renderLoginFile(loginUrl, code).markup);
    },
    remove,
  };
}
