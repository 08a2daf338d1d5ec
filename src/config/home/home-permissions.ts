import { constants } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { shellQuote } from '#core/text/text.ts';
import type { Home } from './home.ts';
import { resolveTrusted, type Account, type Untrusted } from './path-permissions.ts';
import { describeUser, readSystemFile } from './user-name.ts';

/** Files that are read, connected to or written without a further check. */
const CONTENTS = ['.env', 'config.json', 'daemon.json', 'daemon.sock', 'data', 'logs'];
const OTHER_HOME = fix('set_setting', {
  setting: 'EXAI_HOME',
  value: 'a folder that belongs to you, such as ~/.exai',
});

/**
 * Refuses a home that another user owns or can change: its `.env` could send keys elsewhere, and a
 * process that listens on its socket would get the token and the prompts. The check runs before
 * anything is read or connected to. Checking the socket after connecting would prove nothing,
 * because the file can be replaced in between; in a folder that no other user can write to it
 * cannot.
 */
export function checkHomeTrust(home: Pick<Home, 'root'>, account = thisAccount()): void {
  const fault = account && findFault(home.root, account);
  if (fault) throw refusal(fault);
}

function findFault(root: string, account: Account): Untrusted | undefined {
  const folder = resolveTrusted('', root, account);
  if (folder.is !== 'trusted') return folder.is === 'untrusted' ? folder : undefined;
  for (const name of CONTENTS) {
    const found = resolveTrusted(folder.path, name, account);
    if (found.is === 'untrusted') return found;
  }
  return undefined;
}

/**
 * The user of this process; undefined on Windows, where the access list of the user's folder
 * protects its files.
 */
function thisAccount(): Account | undefined {
  if (!process.getuid || !process.getgid) return undefined;
  const unmappedUid = isRootMapped() ? undefined : overflowUid();
  return {
    uid: process.getuid(),
    gid: process.getgid(),
    ...(unmappedUid !== undefined && { unmappedUid }),
  };
}

/**
 * The overflow uid. In a user namespace, as sandboxes create them, files of all other users have it
 * as their owner.
 */
function isRootMapped(): boolean {
  const ranges = readSystemFile('/proc/self/uid_map');
  return ranges.length === 0 || ranges.some((range) => range.trim().startsWith('0 '));
}

function overflowUid(): number | undefined {
  const [line] = readSystemFile('/proc/sys/kernel/overflowuid');
  return line === undefined ? undefined : Number(line);
}

function refusal({ path, fault, found }: Untrusted): CallError {
  const field = 'EXAI_HOME';
  const isFolder = (found.mode & constants.S_IFMT) === constants.S_IFDIR;
  const consequence = isFolder
    ? 'it cannot be used as the home of EX-AI or on the way to it'
    : 'EX-AI does not use this file';
  if (fault === 'foreign') {
    const message = `${path} belongs to ${describeUser(found.uid)}, so ${consequence}.`;
    const fixes = ['To use it, make it yours with chown.', OTHER_HOME];
    return new CallError('permission', message, { field, fixes });
  }
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  const owner = describeUser(found.uid);
  const message = `${path} can be changed by other users (owner ${owner}, mode ${mode}), so ${consequence}.`;
  return new CallError('permission', message, {
    field,
    fixes: [commandFix(`chmod go-w ${shellQuote(path)}`), OTHER_HOME],
  });
}
