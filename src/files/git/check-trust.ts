import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { command } from '#core/messages/fixes.ts';
import type { Place } from '../find.ts';
import { shown } from '../to-absolute.ts';
import type { Git } from './git.ts';
import type { Repository } from './repository.ts';
import { PATH_FIELD } from './repository-fault.ts';
import type { UserSettings } from './user-settings.ts';

/**
 * Git's own rule: a repository of another user is read only where this user's settings name it (safe.directory). Git does not apply it
 * where it is told which repository to use, as it is here.
 */
export async function checkTrust(
  repository: Repository,
  place: Place,
  user: UserSettings,
  git: Git,
): Promise<void> {
  const { folder } = repository;
  if ((await isOurs(repository, git)) || isNamed(folder, user)) return;
  const message = `git does not trust the repository of ${shown(place.given)}, as it belongs to another user.`;
  const trust = command(
    `git config --global --add safe.directory '${folder}'`,
    'if you do, say so',
  );
  throw new CallError('permission', message, { field: PATH_FIELD, fixes: [trust] });
}

async function isOurs({ folder, gitFile, gitDir }: Repository, git: Git): Promise<boolean> {
  const ownId = process.geteuid?.();
  if (ownId === undefined) {
    // Windows tells owners to git alone. It reads the repository's settings for this answer, and runs nothing that they name.
    const { stderr } = await git.lookingIn(folder).run(['rev-parse', '--git-dir']);
    return !/dubious ownership|unsafe repository/.test(stderr);
  }
  for (const path of [gitFile ?? folder, folder, gitDir]) {
    if ((await lstat(path)).uid !== ownId) return false;
  }
  return true;
}

function isNamed(folder: string, { safeDirectories, home }: UserSettings): boolean {
  let isSafe = false;
  for (const value of safeDirectories) {
    const path = home !== '' && value.startsWith('~/') ? join(home, value.slice(2)) : value;
    // An empty one takes back those before it.
    if (path === '') isSafe = false;
    else if (path === '*' || path === folder) isSafe = true;
    else if (path.endsWith('/*') && folder.startsWith(path.slice(0, -1))) isSafe = true;
  }
  return isSafe;
}
