/**
 * The programs of the machine that tests need: found, or installed from the distribution where that
 * is allowed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Program {
  readonly name: string;
  /** The package that has it, on Debian and Ubuntu. */
  readonly debian: string;
  /** Where it is, or nothing. */
  readonly find: () => string | undefined;
}

const PROGRAMS: readonly Program[] = [
  { name: 'PostgreSQL', debian: 'postgresql', find: findPostgres },
  { name: 'ffmpeg', debian: 'ffmpeg', find: findFfmpeg },
  { name: 'Chromium', debian: 'chromium-headless-shell', find: findChromium },
  { name: 'strace', debian: 'strace', find: findStrace },
];

/**
 * The folder that holds `initdb` and `postgres`; Debian keeps them off the PATH, one folder per
 * version.
 */
export function findPostgres(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...onPath];
  return folders.find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** A browser that runs without a display. */
export function findChromium(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  return BROWSERS.flatMap((name) => onPath.map((folder) => join(folder, name))).find((file) =>
    existsSync(file),
  );
}

/** What shows the files that a program opens. */
export function findStrace(): string | undefined {
  return findOnPath('strace');
}

/** The program that scales pictures. */
export function findFfmpeg(): string | undefined {
  return findOnPath('ffmpeg');
}

function findOnPath(name: string): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  return onPath.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Gives the names that are still missing; says what was found and what was done. */
export function ensureSystemPrograms(say = console.log): string[] {
  const missing: Program[] = [];
  for (const program of PROGRAMS) {
    const found = program.find();
    if (found) say(`${program.name}: ${found}`);
    else missing.push(program);
  }
  if (missing.length === 0) return [];
  if (!canInstall()) {
    for (const { name, debian } of missing) {
      say(
        `${name}: missing; install it, on Debian and Ubuntu with: sudo apt-get install ${debian}`,
      );
    }
    return missing.map(({ name }) => name);
  }
  const packages = missing.map(({ debian }) => debian);
  say(`installing ${packages.join(', ')} with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    stdio: 'inherit',
    env,
  });
  return missing.filter(({ find }) => !find()).map(({ name }) => name);
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
}
