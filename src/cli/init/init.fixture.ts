import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import type { InitClient } from './client-definition.ts';
import { INIT_CLIENTS } from './clients.ts';
import type { LaunchCommands } from './launch-command.ts';
import type { InitOutcome } from './outcome.ts';
import type { PathContext } from './paths.ts';
import { planInitTasks, runInitTasks, planUndoTasks } from './run-init.ts';

export const PROGRAMS: LaunchCommands = {
  shell: { command: 'exai', args: ['stdio'] },
  desktop: { command: '/usr/bin/node', args: ['/opt/exai/bin/exai.cjs', 'stdio'] },
};

const AT = '2026-01-02T03:04:05.678Z';

/** A temporary user folder for `exai init` in a test. */
export function createUser() {
  const root = mkdtempSync(join(tmpdir(), 'exai-init-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const machine: PathContext = { platform: 'linux', home: root, env: {} };
  const home = homePaths({ HOME: root, EXAI_HOME: join(root, '.exai') });
  const clients = (ids: readonly string[]) =>
    ids.length === 0 ? INIT_CLIENTS : ids.map((id) => clientOf(id));
  const write = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
  };
  return {
    root,
    machine,
    home,
    write,
    fileOf: (id: string) => clientOf(id).locate(machine).files[0],
    read: (path: string) => readFileSync(path),
    plan: (...ids: string[]) =>
      planInitTasks(clients(ids), machine, PROGRAMS, home).map(({ outcome }) => outcome),
    /** Plans, runs `meanwhile`, and writes. */
    init: (ids: readonly string[] = [], programs = PROGRAMS, meanwhile = () => {}) => {
      const tasks = planInitTasks(clients(ids), machine, programs, home);
      meanwhile();
      return states(runInitTasks(tasks, home, AT));
    },
    run: (...ids: string[]): InitOutcome[] =>
      runInitTasks(planInitTasks(clients(ids), machine, PROGRAMS, home), home, AT),
    undo: (...ids: string[]) => states(runInitTasks(planUndoTasks(clients(ids), home), home, AT)),
    undoOutcomes: (...ids: string[]) => runInitTasks(planUndoTasks(clients(ids), home), home, AT),
  };
}

export function clientOf(id: string): InitClient {
  const found = INIT_CLIENTS.find((client) => client.id === id);
  if (!found) throw new Error(`no client ${id}`);
  return found;
}

function states(outcomes: readonly InitOutcome[]): Record<string, string> {
  const present = outcomes.filter(({ state }) => state !== 'absent');
  return Object.fromEntries(
    present.map(({ client, state, written }) => [client, written ? `${state}, written` : state]),
  );
}
