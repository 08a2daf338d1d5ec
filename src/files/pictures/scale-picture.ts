import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Ffmpeg, FfmpegOutput, PlainFormat } from '#programs/ffmpeg/ffmpeg.ts';
import { pictureSize, type PictureSize } from './picture-size.ts';
import { MAX_PIXELS } from '../limits.ts';
import { readOrientation, type Orientation } from './exif-orientation.ts';

/** A picture as bytes, with the type that the bytes have. */
export interface PictureBytes {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

export interface PictureTarget {
  readonly maxBytes: number;
  /** Of the longer side. */
  readonly maxSidePixels: number;
}

export interface ScaledPicture extends PictureBytes {
  readonly size: PictureSize | undefined;
}

/** How each type is read. */
export const PICTURE_FORMATS: Readonly<Record<string, PlainFormat>> = {
  'image/png': 'png_pipe',
  'image/jpeg': 'jpeg_pipe',
  'image/gif': 'gif_pipe',
  'image/webp': 'webp_pipe',
  'image/bmp': 'bmp_pipe',
  'image/tiff': 'tiff_pipe',
};

const TURNS: Readonly<Record<Orientation, string>> = {
  1: '',
  2: 'hflip,',
  3: 'hflip,vflip,',
  4: 'vflip,',
  5: 'transpose=0,',
  6: 'transpose=1,',
  7: 'transpose=3,',
  8: 'transpose=2,',
};

/** Transparent parts become white, as JPEG has none. */
const ON_WHITE =
  'format=rgba,split[a][b];[a]lutrgb=r=255:g=255:b=255:a=255[w];[w][b]overlay=format=rgb,format=yuvj420p';
/** Above this a PNG is slow to write, and mostly too large. */
const PNG_PIXELS = 4_000_000;
const SMALLER = 0.75;
const MAX_STEPS = 12;
/** A picture of fewer pixels would be of no use. */
const LEAST_SIDE_PIXELS = 64;

/**
 * Scales a picture down until it fits, turned as its metadata say, without any metadata. Of an
 * animation the first picture remains. Resolves with what went wrong if ffmpeg cannot read it, or if
 * it cannot be made small enough.
 */
export async function scalePicture(
  { bytes, mediaType }: PictureBytes,
  { maxBytes, maxSidePixels }: PictureTarget,
  ffmpeg: Pick<Ffmpeg, 'run'>,
  signal: AbortSignalLike,
): Promise<ScaledPicture | Exclude<FfmpegOutput, { is: 'done' }>> {
  const format = PICTURE_FORMATS[mediaType];
  if (format === undefined) return { is: 'failed' };
  const known = pictureSize(bytes, mediaType);
  let side = Math.min(maxSidePixels, known ? Math.max(known.width, known.height) : maxSidePixels);
  const turn = TURNS[readOrientation(bytes, mediaType)];
  const shrink = () =>
    `${turn}scale=w='min(iw,${side})':h='min(ih,${side})':force_original_aspect_ratio=decrease:flags=area`;
  const run = (output: readonly string[]) =>
    ffmpeg.run({
      input: bytes,
      format,
      output: ['-frames:v', '1', ...output],
      maxPixels: MAX_PIXELS,
      maxOutputBytes: maxBytes,
      signal,
    });

  const isDrawn = format !== 'jpeg_pipe';
  if (isDrawn && known && pixelsWithin(known, side) <= PNG_PIXELS) {
    const drawn = await run(['-vf', shrink(), '-c:v', 'png', '-pred', 'mixed']);
    if (drawn.is === 'done') return scaled(drawn.bytes, 'image/png');
    if (drawn.is === 'failed' || drawn.limit === 'memory') return drawn;
  }
  for (let step = 0; step < MAX_STEPS && side >= LEAST_SIDE_PIXELS; step += 1) {
    const filter = `${shrink()},${isDrawn ? ON_WHITE : 'format=yuvj420p'}`;
    const written = await run(['-vf', filter, '-c:v', 'mjpeg', '-q:v', '3']);
    if (written.is === 'done') return scaled(written.bytes, 'image/jpeg');
    if (written.is === 'failed' || written.limit === 'memory') return written;
    side = Math.floor(side * SMALLER);
  }
  return { is: 'too_large', limit: 'output' };
}

function scaled(bytes: Uint8Array, mediaType: string): ScaledPicture {
  return { bytes, mediaType, size: pictureSize(bytes, mediaType) };
}

function pixelsWithin({ width, height }: PictureSize, side: number): number {
  const factor = Math.min(1, side / Math.max(width, height));
  return width * height * factor * factor;
}
