import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  isRunning,
  readPids,
  STUBBORN_FAMILY,
  tempFolder,
  untilGone,
  writeScript,
} from '../../src/programs/processes.fixture.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

/** A step that reads the changes, for which git is run, and asks no model. */
const STEP = {
  step: 'x',
  step_number: 1,
  total_steps: 2,
  next_step_required: true,
  findings: '-',
};

const SLOW_MS = 180_000;

verifies(
  'daemon:programs',
  'a program that the daemon runs ends with it, and so does all that the program started',
  async () => {
    const { path, exai, serve } = createHome();
    const project = join(tempFolder(), 'project');
    mkdirSync(project);
    const programs = tempFolder();
    const pidFile = join(programs, 'pids');
    // In place of git: it never ends, and nothing but SIGKILL ends it.
    writeScript(programs, 'git', `PIDS='${pidFile}'`, ...STUBBORN_FAMILY);
    writeFileSync(path('config.json'), JSON.stringify({ allowedDirs: [project] }));
    const daemon = await serve([], { env: { PATH: `${programs}:/usr/bin:/bin` } });
    const args = JSON.stringify({ ...STEP, path: project });
    const call = exai(['call', 'precommit', '--args', args]);
    const pids = await readPids(pidFile);
    expect(pids.filter(isRunning)).toHaveLength(3);
    // It has gone on from where it started the program.
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    daemon.kill('SIGKILL');
    await daemon.ended;
    await untilGone(pids);
    expect((await call).code).not.toBe(0);
  },
  SLOW_MS,
);
