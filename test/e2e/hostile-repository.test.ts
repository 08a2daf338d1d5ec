import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createHome } from './exai.ts';
import { verifies } from '../verifies.ts';

/** A step that reads the changes and asks no model. */
const ARGS = {
  step: 'x',
  step_number: 1,
  total_steps: 2,
  next_step_required: true,
  findings: '-',
};

/** Outside the home, which nobody may read in. */
function createProject() {
  const root = mkdtempSync(join(tmpdir(), 'exai-e2e-project-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const project = join(root, 'project');
  mkdirSync(project);
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const user = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
  const git = (...args: string[]) =>
    execFileSync('git', [...user, ...args], { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(project, 'a.ts'), 'one\n');
  git('add', '--all');
  git('commit', '--quiet', '--message=x');
  writeFileSync(join(project, 'a.ts'), 'two\n');
  return { project, git, outside: (name: string) => join(root, name) };
}

verifies(
  'security:repository-config',
  'the daemon shows the changes of a repository and runs nothing that its settings name',
  async () => {
    const { path, exai, serve } = createHome();
    const { project, git, outside } = createProject();
    const config = join(project, '.git/config');
    const harmless = readFileSync(config, 'latin1');
    writeFileSync(path('config.json'), JSON.stringify({ allowedDirs: [project] }));
    const daemon = await serve();
    const args = JSON.stringify({ ...ARGS, path: project });
    for (const name of ['', 'a\xff', 'plain']) {
      const mark = outside(`sprung-${Buffer.from(name, 'latin1').toString('hex')}`);
      writeFileSync(join(project, '.gitattributes'), `* filter=${name}\n`, 'latin1');
      writeFileSync(config, `${harmless}[filter "${name}"]\n\tclean = touch ${mark}\n`, 'latin1');
      const { code, stdout } = await exai(['call', 'precommit', '--args', args]);
      expect([code, stdout]).toEqual([0, expect.stringContaining('a.ts (modified, unstaged)')]);
      expect(existsSync(mark)).toBe(false);
      git('diff');
      expect(existsSync(mark)).toBe(true);
    }
    expect(readdirSync(path('cache/git'))).toEqual([]);
    daemon.kill('SIGTERM');
    await daemon.ended;
  },
);

verifies(
  'security:repository-words',
  'the daemon does not quote a private file that a repository links to',
  async () => {
    const { path, exai, serve } = createHome();
    const { project, git, outside } = createProject();
    git('pack-refs', '--all');
    writeFileSync(outside('private.txt'), 'first-line-of-a-private-file\n');
    writeFileSync(path('config.json'), JSON.stringify({ allowedDirs: [project] }));
    const daemon = await serve();
    const args = JSON.stringify({ ...ARGS, path: project });
    for (const name of ['packed-refs', 'shallow']) {
      rmSync(join(project, '.git', name), { force: true });
      symlinkSync(outside('private.txt'), join(project, '.git', name));
      const { stdout, stderr } = await exai(['call', 'precommit', '--args', args]);
      expect(stdout + stderr).toContain('outside the folders that this caller may read');
      expect(stdout + stderr).not.toContain('first-line');
    }
    daemon.kill('SIGTERM');
    await daemon.ended;
  },
);
