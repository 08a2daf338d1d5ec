import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { createHome, Result } from './e2e/exai.ts';
import { get } from './http-get.ts';

type Home = ReturnType<typeof createHome>;

/** A call that stores a turn, and so is acknowledged only when it is on disk. */
export function storeTurn({ exai }: Pick<Home, 'exai'>, step: string): Promise<Result> {
  const args = [`step=${step}`, 'step_number=1', 'total_steps=1', 'next_step_required=false'];
  return exai(['call', 'planner', ...args], { env: { EXAI_AUTOSTART: 'off' } });
}

export const FILE_FAULTS = ['moved', 'deleted', 'replaced', 'log deleted'] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

/** Takes the database away from a daemon that runs; returns what puts it back, where that is possible. */
export function breakFiles(
  { path }: Pick<Home, 'path'>,
  fault: FileFault,
): (() => void) | undefined {
  const file = path('data', 'exai.db');
  switch (fault) {
    case 'moved':
      renameSync(file, `${file}.away`);
      return () => renameSync(`${file}.away`, file);
    case 'deleted':
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
      return undefined;
    case 'replaced':
      renameSync(file, `${file}.away`);
      writeFileSync(file, '');
      return () => renameSync(`${file}.away`, file);
    case 'log deleted':
      rmSync(`${file}-wal`);
      return undefined;
  }
}

/** A daemon whose database is taken away acknowledges nothing, says so, and goes on once it is back. */
export async function fileFaultRound(home: Home, fault: FileFault): Promise<void> {
  const daemon = await home.serve();
  expect((await storeTurn(home, 'before')).code).toBe(0);
  const putBack = breakFiles(home, fault);
  const refused = await storeTurn(home, 'lost');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('was deleted, moved or replaced');
  const isThere = fault === 'replaced' || fault === 'log deleted';
  const fix = isThere ? 'exai restart' : 'exai restore <backup file>';
  expect(refused.stderr).toContain(fix);
  if (!isThere) expect(refused.stderr).not.toContain('exai restart');
  expect((await get(`${daemon.url}/readyz`)).status).toBe(503);
  if (putBack) {
    putBack();
    await expect.poll(async () => (await get(`${daemon.url}/readyz`)).status).toBe(200);
    expect((await storeTurn(home, 'after')).code).toBe(0);
  }
  daemon.kill('SIGTERM');
  await daemon.ended;
}

/** Acknowledged calls whose log is removed after a kill are missed at the next start, by their numbers. */
export async function removedLogRound(home: Home, calls: number): Promise<void> {
  const daemon = await home.serve();
  for (let n = 0; n < calls; n++) expect((await storeTurn(home, `step ${n}`)).code).toBe(0);
  daemon.kill('SIGKILL');
  await daemon.ended;
  for (const suffix of ['-wal', '-shm']) rmSync(home.path('data', `exai.db${suffix}`));
  const cut = await home.exai(['audit', 'verify']);
  expect(cut.code).toBe(1);
  expect(cut.stdout).toContain('missing');

  const next = await home.serve();
  const doctor = await home.exai(['doctor', '--json']);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { id: string; status: string }[] };
  expect(checks).toContainEqual(expect.objectContaining({ id: 'audit', status: 'fail' }));
  const status = await home.exai(['status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ notices: [{ code: 'audit_rows_lost' }] });
  next.kill('SIGTERM');
  expect((await next.ended).stderr).toContain('of the audit log');
  // The gap stays visible after further rows.
  expect((await home.exai(['audit', 'verify'])).code).toBe(1);
}
