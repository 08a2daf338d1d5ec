import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Clock } from '#core/time/clock.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import type { SeenRequest } from '../../emulator/requests.ts';
import type { Called, ToolClient } from '../cases/tools-client.ts';
import type { ToolsHarness } from '../cases/tools-harness.ts';
import { createListLog } from '../list-log.ts';
import { BIN, finished, type Result } from './exai.ts';

/** Runs a command of the program in the home of a harness. */
export function exaiIn({ home }: ToolsHarness, ...args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, EXAI_HOME: home },
  });
  child.stdin?.end();
  return finished(child);
}

/** As a fall of the machine: nobody is told. */
export function killDaemon({ home }: ToolsHarness): void {
  const { pid } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
}

export function chatsWith({ emulator }: ToolsHarness, vendor: string): readonly SeenRequest[] {
  return emulator.requests({ vendor }).filter(({ path }) => path.includes('chat'));
}

/** The id that a call was answered with in place of an answer. */
export function jobIdOf({ envelope }: Called): string {
  expect(envelope).toMatchObject({ status: 'running', job: { status: 'running' } });
  return envelope.job?.id ?? '';
}

/** Asks for the answer of a job until there is one, as its client is told to. */
export async function fetchResult(client: ToolClient, id: string): Promise<Called> {
  for (let tries = 0; tries < 20; tries += 1) {
    const told = await client.call('job_result', { job_id: id, wait_seconds: 10 });
    if (told.envelope.status !== 'running') return told;
  }
  throw new Error(`Job ${id} has no end.`);
}

/** What the store has of a job, as a list tells it. */
export async function listed(client: ToolClient, id: string): Promise<Listed> {
  const { content } = await client.call('job_list', { limit: 100 });
  const found = (content['jobs'] as readonly Listed[]).find((job) => job.id === id);
  if (!found) throw new Error(`Job ${id} is not listed.`);
  return found;
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly tool: string;
  readonly note?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What is stored, by a clock of one's own, while no daemon has it. */
export async function storeIn<T>(
  { home }: Pick<ToolsHarness, 'home'>,
  clock: Clock,
  look: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore({
    database: '',
    dataDir: join(home, 'data'),
    backupDir: join(home, 'backups'),
    writerId: 'writer_looking',
    clock,
    log: createListLog(),
  });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}
