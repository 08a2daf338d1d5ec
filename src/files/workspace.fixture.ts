import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ChangesOptions, WorkspaceReader, Workspace } from '#core/workspace.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import { createWorkspace, type WorkspaceDeps } from './create-workspace.ts';

export interface WorkspaceBench {
  /** Contains everything of this test, without links. */
  readonly base: string;
  /** `base/project`, the root of the reader. */
  readonly root: string;
  readonly home: string;
  readonly clock: FakeClock;
  readonly workspace: Workspace;
  readonly reader: WorkspaceReader;
  /** A workspace with other settings. */
  readonly with: (deps: Partial<WorkspaceDeps>) => Workspace;
  /** Paths are relative to `base`. */
  readonly write: (path: string, content: string | Uint8Array) => string;
  readonly link: (path: string, target: string) => string;
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
  readonly remove: (whole: string) => void;
  /** As a user of this machine would run it. */
  readonly git: (cwd: string, ...args: readonly string[]) => string;
}

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function createWorkspaceBench(): WorkspaceBench {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'exai-files-')));
  made.push(base);
  const root = join(base, 'project');
  const home = join(base, 'home');
  mkdirSync(root);
  mkdirSync(home);
  const clock = createFakeClock();
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const deps: WorkspaceDeps = {
    clock,
    allowedDirs: [],
    privateDirs: [],
    userFolder: home,
    environment: env,
    scratchDir: join(base, 'scratch'),
    workspacesDir: join(base, 'state', 'workspaces'),
  };
  const place = (path: string) => {
    const whole = join(base, path);
    mkdirSync(dirname(whole), { recursive: true });
    return whole;
  };
  return {
    base,
    root,
    home,
    clock,
    workspace: createWorkspace(deps),
    reader: {
      roots: [root],
      signal: new AbortController().signal,
      deadline: deadlineIn(clock, 60_000),
    },
    with: (more) => createWorkspace({ ...deps, ...more }),
    write(path, content) {
      const whole = place(path);
      writeFileSync(whole, content);
      return whole;
    },
    link(path, target) {
      const whole = place(path);
      symlinkSync(target, whole);
      return whole;
    },
    read: (path) => readFileSync(join(base, path), 'utf8'),
    remove: (whole) => rmSync(whole, { recursive: true, force: true }),
    has: (path) => existsSync(join(base, path)),
    git: (cwd, ...args) =>
      execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
        cwd,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
}

/** The error and its argument. */
export async function faultOf(work: Promise<unknown>): Promise<CallError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof CallError) return thrown;
  throw new Error('It did not fail with a CallError.', { cause: thrown });
}

export const ALL: ChangesOptions = {
  path: undefined,
  compareTo: undefined,
  staged: true,
  unstaged: true,
};
