import { constants, lstatSync, readlinkSync, type Stats } from 'node:fs';

/** What the status of a file says about who can change it. */
export type Ownership = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** The user of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** What the owner of every file outside the user namespace looks like, where root is outside of it. */
  readonly unmappedUid?: number;
}

/** `container`: a folder on the way. `own`: what must be the user's alone. `link`: a symbolic link, whose mode means nothing. */
export type PathRole = 'container' | 'own' | 'link';

export type TrustFault = 'foreign' | 'writable';

export interface Untrusted {
  readonly is: 'untrusted';
  readonly path: string;
  readonly fault: TrustFault;
  readonly found: Ownership;
}

export type Resolved =
  /** Every folder on the way and the path itself are the user's or root's; `path` has no links. */
  | { readonly is: 'trusted'; readonly path: string }
  /** It does not exist, or cannot be looked at; nothing can be read there either. */
  | { readonly is: 'absent' }
  | Untrusted;

/** How the machine is looked at. */
export interface FileLook {
  /** Of the path itself, not of what it links to; nothing when it cannot be had. */
  status(path: string): Ownership | undefined;
  target(link: string): string;
}

const ROOT_UID = 0;
const { S_IFMT, S_IFLNK } = constants;
const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** As Linux: a path with more of them cannot be opened. */
const MAX_LINKS = 40;

/** Whether another user can put something else in its place, or has done so; nothing when not. */
export function judgeOwnership(
  { uid, gid, mode }: Ownership,
  role: PathRole,
  account: Account,
): TrustFault | undefined {
  const isContainer = role === 'container';
  const isOurs = uid === account.uid || uid === ROOT_UID;
  if (!isOurs && !(isContainer && uid === account.unmappedUid)) return 'foreign';
  if (role === 'link') return undefined;
  // Under the sticky bit, as in /tmp, only the owner of an entry can rename or remove it.
  if (isContainer && (mode & STICKY) !== 0) return undefined;
  if ((mode & OTHERS_WRITE) !== 0) return 'writable';
  const isGroupTrusted = isContainer && (gid === ROOT_UID || isPrivateGroup(gid, account));
  return (mode & GROUP_WRITES) !== 0 && !isGroupTrusted ? 'writable' : undefined;
}

/** A group with the number of its user is made for that user alone. */
function isPrivateGroup(gid: number, account: Account): boolean {
  return gid === account.gid && account.gid === account.uid;
}

/**
 * Follows `path` from `base`, a folder that is trusted already, link by link, and judges every step. Steps are judged before what
 * lies below them is looked at: once a folder belongs to us and nobody else writes there, nobody can exchange what follows.
 */
export function resolveTrusted(
  base: string,
  path: string,
  account: Account,
  files: FileLook = FILES,
): Resolved {
  const rest = partsOf(path);
  let at = base;
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    // No step before this one is a link, so the folder above it is the one its path names.
    const here = part === '..' ? at.slice(0, at.lastIndexOf('/')) : `${at}/${part}`;
    const found = files.status(here === '' ? '/' : here);
    if (!found) return { is: 'absent' };
    const isLink = (found.mode & S_IFMT) === S_IFLNK;
    const role = isLink ? 'link' : rest.length > 0 ? 'container' : 'own';
    const fault = judgeOwnership(found, role, account);
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
      // A file on the way, or a folder that may not be looked into: whoever reads it says so.
      return undefined;
    }
  },
  target: (path) => readlinkSync(path),
};
