import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homePaths } from '#config/home.ts';
import type { InitClient } from './client.ts';
import { INIT_CLIENTS } from './clients/index.ts';
import type { Machine } from './machine.ts';
import type { Outcome } from './outcome.ts';
import type { Programs } from './program.ts';
import { initTasks, runTasks, undoTasks } from './run-init.ts';

export const PROGRAMS: Programs = {
  shell: { command: 'exai', args: ['stdio'] },
  desktop: { command: '/usr/bin/node', args: ['/opt/exai/bin/exai.cjs', 'stdio'] },
};

const AT = '2026-01-02T03:04:05.678Z';

/** A user's folder of the running test's own, and what `exai init` does in it. */
export function createUser() {
  const root = mkdtempSync(join(tmpdir(), 'exai-init-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const machine: Machine = { platform: 'linux', home: root, env: {} };
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
    fileOf: (id: string) => clientOf(id).place(machine).files[0],
    read: (path: string) => readFileSync(path),
    plan: (...ids: string[]) =>
      initTasks(clients(ids), machine, PROGRAMS, home).map(({ outcome }) => outcome),
    /** Plans, lets `meanwhile` happen, and writes. */
    init: (ids: readonly string[] = [], programs = PROGRAMS, meanwhile = () => {}) => {
      const tasks = initTasks(clients(ids), machine, programs, home);
      meanwhile();
      return states(runTasks(tasks, home, AT));
    },
    run: (...ids: string[]): Outcome[] =>
      runTasks(initTasks(clients(ids), machine, PROGRAMS, home), home, AT),
    undo: (...ids: string[]) => states(runTasks(undoTasks(clients(ids), home), home, AT)),
    undoOutcomes: (...ids: string[]) => runTasks(undoTasks(clients(ids), home), home, AT),
  };
}

export function clientOf(id: string): InitClient {
  const found = INIT_CLIENTS.find((client) => client.id === id);
  if (!found) throw new Error(`no client ${id}`);
  return found;
}

function states(outcomes: readonly Outcome[]): Record<string, string> {
  const present = outcomes.filter(({ state }) => state !== 'absent');
  return Object.fromEntries(
    present.map(({ client, state, written }) => [client, written ? `${state}, written` : state]),
  );
}
