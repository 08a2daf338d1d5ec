import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { BIN, createHome, finished, type Result } from './exai.ts';

/**
 * A user with npm, who has a tarball of exai. The package has the real program and manifest; its
 * `dist` loads the one that was just built, so that npm installs it without a network.
 */
export async function userWithTarball() {
  const { root, path } = createHome();
  const built = dirname(dirname(BIN));
  const folder = path('package');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  cpSync(BIN, join(folder, 'bin/exai.cjs'));
  const from = (name: string) => JSON.stringify(join(built, 'dist', name));
  writeFileSync(join(folder, 'dist/main.js'), `import ${from('main.js')};\n`);
  writeFileSync(join(folder, 'dist/stdio.cjs'), `require(${from('stdio.cjs')});\n`);
  const { name, version, bin, files, type } = JSON.parse(
    readFileSync(join(built, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  const manifest = { name, version, bin, files, type };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));

  const home = path('home');
  // Any free port: an entry passes no variable of this shell on.
  mkdirSync(join(home, '.exai'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, '.exai/config.json'), '{"port":0}', { mode: 0o600 });
  mkdirSync(path('empty'));
  const env = {
    HOME: home,
    PATH: `${join(home, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    npm_config_cache: path('npm-cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
  /** Runs a program in an empty folder, unless told otherwise. */
  const run = (
    [program, ...args]: readonly [string, ...string[]],
    cwd = path('empty'),
  ): Promise<Result> => {
    const child = spawn(program, args, { cwd, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.end();
    return finished(child);
  };
  const packed = await run(['npm', 'pack', '--pack-destination', root], folder);
  if (packed.code !== 0) throw new Error(`npm pack: ${packed.stderr}`);
  const tarball = path(packed.stdout.trim().split('\n').at(-1) ?? '');
  return { home, folder, tarball, run, path };
}
