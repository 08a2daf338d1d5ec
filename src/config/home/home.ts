import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { variable, type Environment } from '../environment.ts';
import { quoteSafely } from '../secrets/secret-guard.ts';

/** Absolute paths of everything EX-AI stores on disk. Two homes share nothing. */
export interface Home {
  readonly root: string;
  readonly configFile: string;
  readonly envFile: string;
  readonly dataDir: string;
  readonly logDir: string;
  readonly backupDir: string;
  readonly workspaceDir: string;
  readonly cacheDir: string;
  readonly lockFile: string;
  readonly daemonFile: string;
  readonly socketFile: string;
  readonly writerIdFile: string;
  readonly auditKeysFile: string;
  readonly auditHeadFile: string;
  readonly startProgressFile: string;
  /** A restore that runs, or was killed. */
  readonly restoreFile: string;
}

const PRIVATE_DIR = 0o700;
const OTHERS = 0o077;
const CONTROLS = /\p{Cc}/u;

/** The paths of EXAI_HOME, or of `.exai` in the user's home folder. Reads and creates nothing. */
export function homePaths(env: Environment): Home {
  const wanted = variable(env, 'EXAI_HOME') ?? join(userFolder(env), '.exai');
  const root = normalize(expandTilde(wanted, env));
  // Messages, logs and the settings of clients show this path.
  if (CONTROLS.test(root)) {
    throw new CallError('validation', 'The path of EXAI_HOME has control characters.', {
      field: 'EXAI_HOME',
      fixes: [fix('set_setting', { setting: 'EXAI_HOME', value: 'a path without them' })],
    });
  }
  if (!isAbsolute(root)) {
    throw new CallError(
      'validation',
      `EXAI_HOME must be an absolute path, but ${quoteSafely(wanted, 'is')}.`,
      {
        field: 'EXAI_HOME',
        fixes: [
          fix('set_setting', { setting: 'EXAI_HOME', value: 'a whole path, such as ~/.exai' }),
        ],
      },
    );
  }
  const dataDir = join(root, 'data');
  return {
    root,
    configFile: join(root, 'config.json'),
    envFile: join(root, '.env'),
    dataDir,
    logDir: join(root, 'logs'),
    backupDir: join(root, 'backups'),
    workspaceDir: join(root, 'workspaces'),
    cacheDir: join(root, 'cache'),
    lockFile: join(root, 'daemon.lock'),
    daemonFile: join(root, 'daemon.json'),
    socketFile: join(root, 'daemon.sock'),
    writerIdFile: join(dataDir, 'writer-id'),
    auditKeysFile: join(dataDir, 'audit-keys.json'),
    auditHeadFile: join(root, 'audit-head'),
    startProgressFile: join(root, 'daemon.progress'),
    restoreFile: join(root, 'restore.json'),
  };
}

/**
 * Creates the folders with mode 0700 and checks that they can be written, so that a problem shows
 * at the start.
 */
export function prepareHome(home: Home): void {
  const folders = [
    home.root,
    home.dataDir,
    home.logDir,
    home.backupDir,
    home.workspaceDir,
    home.cacheDir,
  ];
  try {
    for (const folder of folders) {
      makeFolder(folder);
      // A home that was created by hand or under another umask may be readable by others; it holds
      // keys and conversations.
      if (folder === home.root && isOpenToOthers(statSync(folder).mode)) {
        chmodSync(folder, PRIVATE_DIR);
      }
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    }
  } catch (thrown) {
    const reason = CallError.from(thrown);
    const isFull = reason.class === 'over_capacity';
    throw new CallError(
      isFull ? reason.class : 'permission',
      `EX-AI cannot use its home ${home.root}. ${reason.message}.`,
      {
        field: 'EXAI_HOME',
        fixes: [
          fix('set_setting', { setting: 'EXAI_HOME', value: 'a folder that you may write to' }),
          'Or make that folder writable for you.',
        ],
        cause: thrown,
      },
    );
  }
}

/**
 * Creates a folder level by level, because Node's recursive mkdir never returns for a path under
 * /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: PRIVATE_DIR });
  } catch (thrown) {
    // Another exai that starts at the same time may have created it.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

/**
 * Whether other users can read the file. Windows reports the same mode for every file; there the
 * access list of the folder protects it.
 */
export function isOpenToOthers(mode: number): boolean {
  return process.platform !== 'win32' && (mode & OTHERS) !== 0;
}

/**
 * Replaces a leading `~` by the user's folder, because no shell expands it in .env and config.json.
 */
export function expandTilde(path: string, env: Environment): string {
  return path === '~' || /^~[/\\]/.test(path) ? join(userFolder(env), path.slice(1)) : path;
}

export function userFolder(env: Environment): string {
  return variable(env, process.platform === 'win32' ? 'USERPROFILE' : 'HOME') ?? homedir();
}
