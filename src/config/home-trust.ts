import { CallError } from '#core/call-error.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { shellQuote } from '#core/shell-quote.ts';
import type { Home } from './home.ts';
import { resolveTrusted, type Account, type Untrusted } from './path-trust.ts';
import { readLines } from './system-file.ts';
import { describeUser } from './user-name.ts';

/** What is read, connected to or written without a further look. */
const CONTENTS = ['.env', 'config.json', 'daemon.json', 'daemon.sock', 'data', 'logs'];
const OTHER_HOME = fix('set_setting', {
  setting: 'EXAI_HOME',
  value: 'a folder of your own, such as ~/.exai',
});

/**
 * Refuses a home that another user owns or can change: its `.env` may send keys elsewhere, and whoever listens on its socket gets
 * the token and the prompts. It has to be known before anything is read or connected to. Looking at the socket after connecting
 * would prove nothing, as the file can be exchanged in between; a folder that nobody else writes to cannot change.
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

/** Nothing on Windows, where the access list of the user's folder protects what lies in it. */
function thisAccount(): Account | undefined {
  if (!process.getuid || !process.getgid) return undefined;
  const unmappedUid = isRootMapped() ? undefined : overflowUid();
  return {
    uid: process.getuid(),
    gid: process.getgid(),
    ...(unmappedUid !== undefined && { unmappedUid }),
  };
}

/** In a user namespace of its own, as sandboxes make them, a process may see no owner but itself. */
function isRootMapped(): boolean {
  const ranges = readLines('/proc/self/uid_map');
  return ranges.length === 0 || ranges.some((range) => range.trim().startsWith('0 '));
}

function overflowUid(): number | undefined {
  const [line] = readLines('/proc/sys/kernel/overflowuid');
  return line === undefined ? undefined : Number(line);
}

function refusal({ path, fault, found }: Untrusted): CallError {
  const field = 'EXAI_HOME';
  if (fault === 'foreign') {
    const message = `${path} belongs to ${describeUser(found.uid)}, so it cannot be used as the home of EX-AI or on the way to it.`;
    const fixes = ['To use it, make it yours with chown.', OTHER_HOME];
    return new CallError('permission', message, { field, fixes });
  }
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  const message = `${path} can be changed by other users (owner ${describeUser(found.uid)}, mode ${mode}), so it cannot be used as the home of EX-AI or on the way to it.`;
  return new CallError('permission', message, {
    field,
    fixes: [command(`chmod go-w ${shellQuote(path)}`), OTHER_HOME],
  });
}
