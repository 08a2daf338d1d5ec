import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { OpenedFile, SavedFile, Workspace, WorkspaceReader } from '#core/workspace.ts';
import { createWorkspace } from '#files/create-workspace.ts';
import { prepareTraps, type Traps } from './prepare.ts';

export const NEW = Buffer.from('new content');

/** A workspace among traps. Its owner has a root, its client none. */
export interface TrappedWorkspace {
  readonly traps: Traps;
  readonly workspace: Workspace;
  /** EXAI_HOME/workspaces, with the runs `one` and `two`. */
  readonly runs: string;
  readonly owner: WorkspaceReader;
  /** A client with a token. */
  readonly client: WorkspaceReader;
  withAllowedDirs(allowedDirs: readonly string[]): Workspace;
  open(paths: readonly string[], by?: WorkspaceReader): Promise<OpenedFile[]>;
  save(path: string, by?: WorkspaceReader): Promise<SavedFile>;
  close(): void;
}

export async function openTrappedWorkspace(): Promise<TrappedWorkspace> {
  const traps = await prepareTraps();
  const runs = join(traps.state, 'workspaces');
  mkdirSync(join(runs, 'one'), { recursive: true });
  mkdirSync(join(runs, 'two'));
  writeFileSync(join(runs, 'one', 'result.txt'), 'result');
  symlinkSync(join(traps.state, '.env'), join(runs, 'one', 'to-env'));
  symlinkSync(traps.outside, join(runs, 'to-outside'));
  const withAllowedDirs = (allowedDirs: readonly string[]) =>
    createWorkspace({
      clock: systemClock,
      allowedDirs,
      privateDirs: [traps.state],
      userFolder: traps.user,
      workspacesDir: runs,
      environment: {},
      scratchDir: join(traps.top, 'scratch'),
    });
  const workspace = withAllowedDirs([traps.shared]);
  const { signal } = new AbortController();
  const deadline = deadlineIn(systemClock, 600_000);
  const owner = { roots: [traps.project], signal, deadline, isOwner: true } as const;
  const client = { roots: [], signal, deadline };
  return {
    traps,
    workspace,
    runs,
    owner,
    client,
    withAllowedDirs,
    async open(paths, by = owner) {
      const files: OpenedFile[] = [];
      for await (const file of workspace.open(paths, 'files', by)) files.push(file);
      return files;
    },
    save: (path, by = owner) => workspace.save(path, 'path', [NEW], by),
    close() {
      traps.close();
      rmSync(traps.top, { recursive: true, force: true });
    },
  };
}

export async function faultOf(work: Promise<unknown>): Promise<CallError | undefined> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown === undefined || thrown instanceof CallError) return thrown;
  throw thrown;
}

/** Every entry under a folder with its digest, to see that nothing changed; links are not followed. */
export function snapshot(folder: string): unknown {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return [entry.name, snapshot(path)];
      const { mode, size } = lstatSync(path);
      if (!entry.isFile() || size > 1_000_000) return [entry.name, mode, size];
      return [entry.name, mode, createHash('sha256').update(readFileSync(path)).digest('hex')];
    });
}
