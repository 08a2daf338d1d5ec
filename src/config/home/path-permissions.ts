import { constants, lstatSync, readlinkSync, type Stats } from 'node:fs';

/** Owner, group and mode of a file. */
export type Ownership = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** The user of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** The uid that files of users outside the user namespace have, where root is outside of it. */
  readonly unmappedUid?: number;
}

/**
 * `container`: a folder on the way. `own`: a file only the user may write. `link`: a symbolic link,
 * whose mode has no meaning.
 */
export type PathRole = 'container' | 'own' | 'link';

export type TrustFault = 'foreign' | 'writable';

export interface Untrusted {
  readonly is: 'untrusted';
  readonly path: string;
  readonly fault: TrustFault;
  readonly found: Ownership;
}

export type ResolvedPath =
  /**
   * Every folder on the way and the path itself belong to the user or root; `path` contains no
   * links.
   */
  | { readonly is: 'trusted'; readonly path: string }
  /** It does not exist or its status cannot be read, so its content cannot be read either. */
  | { readonly is: 'absent' }
  | Untrusted;

/** Access to the file system, replaced in tests. */
export interface FileLook {
  /** The status of the path itself, not of its link target; undefined when it cannot be read. */
  status(path: string): Ownership | undefined;
  target(link: string): string;
}

const ROOT_UID = 0;
const { S_IFMT, S_IFLNK } = constants;
const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** The limit of Linux: a path with more links cannot be opened. */
const MAX_LINKS = 40;

/** Why another user could replace the file or owns it; undefined when no other user can. */
export function checkOwnership(
  { uid, gid, mode }: Ownership,
  role: PathRole,
  account: Account,
): TrustFault | undefined {
  const isContainer = role === 'container';
  const isOurs = uid === account.uid || uid === ROOT_UID;
  if (!isOurs && !(isContainer && uid === account.unmappedUid)) return 'foreign';
  if (role === 'link') return undefined;
  // With the sticky bit, as in /tmp, only the owner of an entry can rename or remove it.
  if (isContainer && (mode & STICKY) !== 0) return undefined;
  if ((mode & OTHERS_WRITE) !== 0) return 'writable';
  const isGroupTrusted = isContainer && (gid === ROOT_UID || isPrivateGroup(gid, account));
  return (mode & GROUP_WRITES) !== 0 && !isGroupTrusted ? 'writable' : undefined;
}

/** Whether the group is the private group of its user, which has the same number. */
function isPrivateGroup(gid: number, account: Account): boolean {
  return gid === account.gid && account.gid === account.uid;
}

/**
 * Resolves `path` from `base`, a trusted folder, link by link, and checks the ownership of every
 * step. A step is checked before anything below it is read: in a folder that only we can write to,
 * no other user can replace what follows.
 */
export function resolveTrusted(
  base: string,
  path: string,
  account: Account,
  files: FileLook = FILES,
): ResolvedPath {
  const rest = partsOf(path);
  let at = base;
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    // No earlier step is a link, so the parent folder is the one in the path.
    const here = part === '..' ? at.slice(0, at.lastIndexOf('/')) : `${at}/${part}`;
    const found = files.status(here === '' ? '/' : here);
    if (!found) return { is: 'absent' };
    const isLink = (found.mode & S_IFMT) === S_IFLNK;
    const role = isLink ? 'link' : rest.length > 0 ? 'container' : 'own';
    const fault = checkOwnership(found, role, account);
    if (fault !== undefined) return { is: 'untrusted', path: here, fault, found };
    if (isLink) {
      links += 1;
      if (links > MAX_LINKS) return { is: 'absent' };
      const target = files.target(here);
      if (target.startsWith('/')) at = '';
      rest.unshift(...partsOf(target));
    } else at = here;
  }
  return { is: 'trusted', path: at };
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

const FILES: FileLook = {
  status(path) {
    try {
      return lstatSync(path, { throwIfNoEntry: false });
    } catch {
      // A file on the way, or a folder without read permission: reading it will report the error.
      return undefined;
    }
  },
  target: (path) => readlinkSync(path),
};
