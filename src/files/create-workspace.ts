import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { remainingMs, signalAt } from '#core/time/deadline.ts';
import type { WorkspaceReader, Workspace } from '#core/workspace.ts';
import { resolveAllowedRoots, type AllowedRootsOptions } from './allowed-roots.ts';
import type { GitEnvironment } from './git/git.ts';
import { createGitLimiter } from './git/git-limiter.ts';
import { readGitChanges } from './git/read-changes.ts';
import { createScratch } from './git/scratch.ts';
import { listNamedFiles } from './list-files.ts';
import { findFiles, openFile } from './open-files.ts';
import { readFiles } from './read-files.ts';
import { saveInside } from './save-inside.ts';

export interface WorkspaceDeps extends AllowedRootsOptions {
  readonly clock: Clock;
  /**
   * Environment for git: PATH and the home of the user's git settings. Nothing else of it is passed
   * on.
   */
  readonly environment: GitEnvironment;
  /** A folder of this daemon for git's private data; created on demand. */
  readonly scratchDir: string;
}

/**
 * Creates the workspace: the readable files and repositories of this machine. It caches nothing.
 */
export function createWorkspace(deps: WorkspaceDeps): Workspace {
  const { clock } = deps;
  const gitDeps = { ...deps, scratch: createScratch(deps.scratchDir), limiter: createGitLimiter() };
  const readable = ({ roots, runFolder, isOwner }: WorkspaceReader) =>
    resolveAllowedRoots(roots, deps, { runFolder, runs: isOwner ? 'all' : 'own' });
  return {
    read: (paths, field, by) =>
      withDeadline(by, clock, async (signal) => {
        // An empty list needs no permission.
        if (paths.length === 0) return { texts: [], notices: [] };
        return readFiles(paths, field, await readable(by), signal);
      }),
    list: (paths, field, by, limits) =>
      withDeadline(by, clock, async (signal) =>
        paths.length === 0 ? [] : listNamedFiles(paths, field, await readable(by), signal, limits),
      ),
    async *open(paths, field, by) {
      if (paths.length === 0) return;
      const [allowed, places] = await withDeadline(by, clock, async (signal) => {
        const roots = await readable(by);
        return [roots, await findFiles(paths, field, roots, signal)] as const;
      });
      for (const place of places)
        yield await withDeadline(by, clock, (signal) => openFile(place, field, allowed, signal));
    },
    save: (path, field, content, by) =>
      withDeadline(by, clock, async (signal) => {
        // A client that is not the owner's names its own roots, so they open nothing.
        const roots = by.isOwner ? by.roots : [];
        const { runFolder } = by;
        const allowed = await resolveAllowedRoots(roots, deps, { runFolder, runs: 'own' });
        return saveInside(path, field, content, allowed, signal);
      }),
    changes: (options, by) =>
      withDeadline(by, clock, async (signal) =>
        readGitChanges(options, await resolveAllowedRoots(by.roots, deps), signal, gitDeps),
      ),
  };
}

/**
 * Runs work until the caller's deadline or cancellation, even if a disk does not respond. Work that
 * is still running continues until it checks the signal, and its result is dropped.
 */
async function withDeadline<T>(
  by: Pick<WorkspaceReader, 'signal' | 'deadline'>,
  clock: Clock,
  work: (signal: AbortSignalLike) => Promise<T>,
): Promise<T> {
  if (remainingMs(by.deadline, clock) === 0) {
    throw new CallError('timeout', 'The deadline of this call has passed.');
  }
  const patience = signalAt(by.deadline, clock, by.signal);
  const { signal } = patience;
  try {
    signal.throwIfAborted();
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(CallError.from(signal.reason)), { once: true });
    });
    return await Promise.race([work(signal), over]);
  } catch (thrown) {
    throw CallError.from(thrown);
  } finally {
    patience.dispose();
  }
}
