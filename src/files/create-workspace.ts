import type { Clock } from '#core/clock.ts';
import type { Workspace } from '#core/workspace.ts';
import { areaOf, type AreaOptions } from './area.ts';
import type { Surroundings } from './git/git-env.ts';
import { createGitTurns } from './git/git-turns.ts';
import { readChanges } from './git/read-changes.ts';
import { createScratch } from './git/scratch.ts';
import { heeding } from './heeding.ts';
import { readFiles } from './read-files.ts';

export interface WorkspaceDeps extends AreaOptions {
  readonly clock: Clock;
  /** For git: where programs are, and whose settings count. Nothing else of it is handed on. */
  readonly surroundings: Surroundings;
  /** A folder of this daemon alone, for what git works on; made when it is needed. */
  readonly scratchDir: string;
}

/** The files and repositories of this machine. It remembers nothing of them: every call looks anew. */
export function createWorkspace(deps: WorkspaceDeps): Workspace {
  const { clock } = deps;
  const gitDeps = { ...deps, scratch: createScratch(deps.scratchDir), turns: createGitTurns() };
  return {
    read: (paths, field, by) =>
      heeding(by, clock, async (signal) => {
        // Whoever names nothing needs no leave.
        if (paths.length === 0) return { texts: [], notices: [] };
        return readFiles(paths, field, await areaOf(by.roots, deps), signal);
      }),
    changes: (wish, by) =>
      heeding(by, clock, async (signal) =>
        readChanges(wish, await areaOf(by.roots, deps), signal, gitDeps),
      ),
  };
}
