import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { variable, type Environment } from '#config/environment.ts';
import type { Examine } from './check.ts';
import { installCommand } from './install-command.ts';

/** Programs that some tools call. Without them those tools say so; everything else works. */
const PROGRAMS = [
  {
    id: 'chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'chrome-headless-shell'],
    package: 'chromium',
    use: 'pages that need a browser',
  },
  { id: 'ffmpeg', names: ['ffmpeg'], package: 'ffmpeg', use: 'audio and video' },
  { id: 'ffprobe', names: ['ffprobe'], package: 'ffmpeg', use: 'audio and video' },
  { id: 'yt-dlp', names: ['yt-dlp'], package: 'yt-dlp', use: 'YouTube' },
] as const;

export const programs: Examine = ({ env }) =>
  PROGRAMS.map(({ id, names, package: packageName, use }) => {
    const found = findProgram(names, env);
    const check = { id: `program_${id}`, title: id };
    if (found !== undefined) return { ...check, status: 'ok', detail: found };
    const fix = installCommand(packageName) ?? `Install ${packageName} so that it is on PATH.`;
    return { ...check, status: 'off', detail: `not found; for ${use}`, fix };
  });

export function findProgram(names: readonly string[], env: Environment): string | undefined {
  const folders = (variable(env, 'PATH') ?? '').split(delimiter).filter((folder) => folder !== '');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return names
    .flatMap((name) => folders.map((folder) => join(folder, `${name}${suffix}`)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Absent or not ours to run: the next folder may have it.
    return false;
  }
}
