/**
 * The only way to ffmpeg. Its input comes through a pipe and its output leaves through one, so it
 * reads and writes no file. Only plain containers are read: a playlist would open other files.
 */
import { CallError } from '#core/errors/call-error.ts';
import { advice } from '#core/messages/fixes.ts';
import { INSTALL_FFMPEG } from '#core/programs/install-ffmpeg.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { findProgram, searchFolders } from '../find-program.ts';
import { programEnv } from '../program-env.ts';
import { runProgram } from '../run-program.ts';

/** Demuxers that read one stream of bytes and follow no reference, with their decoders. */
const FORMATS = {
  png_pipe: 'png',
  jpeg_pipe: 'mjpeg',
  gif_pipe: 'gif',
  webp_pipe: 'webp',
  bmp_pipe: 'bmp',
  tiff_pipe: 'tiff',
} as const;
export type PlainFormat = keyof typeof FORMATS;

export interface FfmpegRun {
  readonly input: Uint8Array;
  readonly format: PlainFormat;
  /** Options of the output, without its address. */
  readonly output: readonly string[];
  readonly maxPixels: number;
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignalLike;
}

export type FfmpegOutput =
  | { readonly is: 'done'; readonly bytes: Uint8Array }
  /** It refused the input. */
  | { readonly is: 'failed' }
  | { readonly is: 'too_large'; readonly limit: 'memory' | 'output' };

export interface Ffmpeg {
  /** The program; undefined where there is none. Throws `not_configured` for a wrong setting. */
  find(): Promise<string | undefined>;
  /** Throws `not_configured` without the program, `timeout`, or the signal's reason. */
  run(options: FfmpegRun): Promise<FfmpegOutput>;
}

export interface FfmpegDeps {
  /** The path that is set; empty: it is searched. */
  readonly path: () => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
}

const SETTING = 'programs.ffmpeg';
const TIMEOUT_MS = 60_000;
const CPU_SECONDS = 60;
const MAX_MEMORY_BYTES = 2_500_000_000;
/** Of one block: more than a picture of the permitted size takes. */
const MAX_BLOCK_BYTES = 1_200_000_000;

export function createFfmpeg({ path, environment, cwd, clock }: FfmpegDeps): Ffmpeg {
  const folders = searchFolders(environment['PATH'] ?? '');

  async function find(): Promise<string | undefined> {
    const set = path();
    return findProgram({
      names: ['ffmpeg'],
      folders,
      ...(set !== '' && { setting: { name: SETTING, path: set } }),
    });
  }

  return {
    find,
    async run(options) {
      const file = await find();
      if (file === undefined) throw ffmpegMissing();
      // It limits memory and processor time, where the system has it.
      const limiter =
        process.platform === 'linux'
          ? await findProgram({ names: ['prlimit'], folders })
          : undefined;
      const args = ffmpegArgs(options);
      const limits = [`--as=${MAX_MEMORY_BYTES}`, `--cpu=${CPU_SECONDS}`, '--core=0', file];
      const { code, stdout, stderr, stopped } = await runProgram({
        title: 'ffmpeg',
        ...(limiter === undefined ? { file, args } : { file: limiter, args: [...limits, ...args] }),
        cwd,
        env: programEnv(environment, ['SYSTEMROOT'], { LC_ALL: 'C' }),
        input: options.input,
        maxStdoutBytes: options.maxOutputBytes,
        maxOutputBytes: options.maxOutputBytes,
        timeoutMs: TIMEOUT_MS,
        graceMs: 0,
        clock,
        ...(options.signal && { signal: options.signal }),
      });
      if (stopped) return { is: 'too_large', limit: 'output' };
      if (code === 0 && stdout.length > 0) return { is: 'done', bytes: stdout };
      const isMemory = /cannot allocate memory|out of memory/i.test(stderr.toString('latin1'));
      return isMemory ? { is: 'too_large', limit: 'memory' } : { is: 'failed' };
    },
  };
}

/** A picture that is cut off is refused. TIFF readers count unknown tags as damage. */
const STRICT = ['-err_detect', 'explode'];

function ffmpegArgs({ input, format, output, maxPixels }: FfmpegRun): readonly string[] {
  // prettier-ignore
  return [
    '-hide_banner', '-nostdin', '-loglevel', 'error', '-nostats',
    '-max_alloc', String(MAX_BLOCK_BYTES),
    '-filter_threads', '1',
    '-protocol_whitelist', 'pipe',
    '-format_whitelist', format,
    '-codec_whitelist', FORMATS[format],
    '-max_pixels', String(maxPixels),
    '-threads', '1',
    '-xerror', ...(format === 'tiff_pipe' ? [] : STRICT),
    '-noautorotate',
    // The whole input is one packet: not every decoder finds the end of a picture by itself.
    '-f', format, '-frame_size', String(input.length), '-i', 'pipe:0',
    '-map_metadata', '-1', '-an', '-sn', '-dn',
    ...output,
    '-threads', '1', '-f', 'image2pipe', 'pipe:1',
  ];
}

export function ffmpegMissing(): CallError {
  return new CallError('not_configured', 'Pictures are scaled by ffmpeg, which is not installed.', {
    fixes: [advice(INSTALL_FFMPEG)],
  });
}
