import type { LoadedConfig } from '#config/load/load.ts';
import type { Clock } from '#core/time/clock.ts';
import { createFfmpeg, type Ffmpeg } from '#programs/ffmpeg/ffmpeg.ts';

/** The ffmpeg of this machine, by the current settings. */
export function createMachineFfmpeg(
  { config, home, sources }: Pick<LoadedConfig, 'config' | 'home' | 'sources'>,
  clock: Clock,
): Ffmpeg {
  return createFfmpeg({
    path: () => config.programs.ffmpeg,
    environment: sources.env,
    cwd: home.root,
    clock,
  });
}
