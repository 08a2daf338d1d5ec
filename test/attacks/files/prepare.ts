import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Stands in every file that nobody may be shown. */
export const SECRET = 'CANARY-8f31c2-of-a-file-outside';
/** Stands in what may be read. */
export const OPEN = 'OPEN-text-of-the-project';

const SPARSE_BYTES = 100 * 1024 ** 3;

export interface Traps {
  readonly top: string;
  /** The user's own folder. */
  readonly user: string;
  /** A root of the owner's clients. */
  readonly project: string;
  /** A folder of the setting allowedDirs. */
  readonly shared: string;
  /** EXAI_HOME, within the allowed folder. */
  readonly state: string;
  readonly outside: string;
  close(): void;
}

/** Folders with everything that should not be read, and ways to it. */
export async function prepareTraps(): Promise<Traps> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'exai-files-')));
  const folder = (...names: readonly string[]) => {
    const path = join(top, ...names);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const user = folder('user');
  const outside = folder('outside');
  const project = folder('user', 'project');
  const shared = folder('user', 'shared');
  const state = folder('user', 'shared', 'state');
  folder('user', '.ssh');
  folder('user', 'project-other');
  for (const path of [
    join(outside, 'secret.txt'),
    join(user, 'notes.txt'),
    join(user, '.ssh', 'id_ed25519'),
    join(user, 'project-other', 'secret.txt'),
    join(state, '.env'),
  ]) {
    writeFileSync(path, `# ${SECRET}\n`, { mode: 0o600 });
  }
  const servers = await Promise.all([project, shared].map((root) => fill(root, top)));
  symlinkSync(user, join(outside, 'to-user'));
  symlinkSync('/', join(outside, 'to-root'));
  symlinkSync(state, join(outside, 'to-state'));
  return {
    top,
    user,
    project,
    shared,
    state,
    outside,
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

/** The same in each root. */
async function fill(root: string, top: string): Promise<Server> {
  const link = (name: string, to: string) => symlinkSync(to, join(root, name));
  const secret = join(top, 'outside', 'secret.txt');
  writeFileSync(join(root, 'own.txt'), `${OPEN}\n`);
  writeFileSync(join(root, 'binary.bin'), Buffer.from([0, 1, 2, 255]));
  linkSync(join(root, 'own.txt'), join(root, 'own-again.txt'));
  mkdirSync(join(root, 'deep', 'er'), { recursive: true });
  writeFileSync(join(root, 'deep', 'er', 'own.txt'), `${OPEN}\n`);
  link('to-file', secret);
  link('to-missing', join(top, 'outside', 'missing.txt'));
  link('to-folder', join(top, 'outside'));
  link('to-relative', '../../outside/secret.txt');
  link('to-relative-missing', '../../outside/missing.txt');
  link('to-user', '..');
  link('to-proc', `/proc/self/root${secret}`);
  link('to-proc-missing', `/proc/self/root${join(top, 'outside', 'missing.txt')}`);
  link('to-environ', '/proc/self/environ');
  link('to-cwd', '/proc/self/cwd');
  link('to-root', '/');
  link('to-zero', '/dev/zero');
  link('to-random', '/dev/urandom');
  link('to-tty', '/dev/tty');
  link('to-stdin', '/dev/stdin');
  link('to-state', join(top, 'user', 'shared', 'state'));
  link('chain-1', 'chain-2');
  link('chain-2', 'deep/chain-3');
  link('deep/chain-3', '../to-file');
  link('loop-1', 'loop-2');
  link('loop-2', 'loop-1');
  link('cafe\u0301.txt', secret);
  execFileSync('mkfifo', [join(root, 'pipe')]);
  writeFileSync(join(root, 'sparse.txt'), '');
  truncateSync(join(root, 'sparse.txt'), SPARSE_BYTES);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
  return server;
}
