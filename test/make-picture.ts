import { execFileSync } from 'node:child_process';
import { findFfmpeg } from '../scripts/system-programs.ts';

export interface PictureKind {
  readonly width: number;
  readonly height: number;
  readonly format: 'png' | 'jpeg' | 'gif' | 'webp' | 'bmp' | 'tiff';
  /** A source of ffmpeg's filters; default: a test picture. */
  readonly source?: string;
  /** Of an animation; default 1. */
  readonly frames?: number;
}

const CODECS = {
  png: 'png',
  jpeg: 'mjpeg',
  gif: 'gif',
  webp: 'libwebp',
  bmp: 'bmp',
  tiff: 'tiff',
} as const;

/** The program that tests make pictures with; `scripts/system-programs.ts` installs it. */
export const FFMPEG = findFfmpeg() ?? '';

/** A picture, made by ffmpeg. */
export function makePicture({ width, height, format, source, frames = 1 }: PictureKind): Buffer {
  const from = source ?? 'testsrc';
  // prettier-ignore
  return execFileSync(FFMPEG, [
    '-hide_banner', '-loglevel', 'error', '-nostdin',
    '-f', 'lavfi', '-i', `${from}${from.includes('=') ? ':' : '='}size=${width}x${height}:rate=5`,
    '-frames:v', String(frames), '-c:v', CODECS[format],
    '-f', format === 'gif' || format === 'webp' ? format : 'image2pipe', 'pipe:1',
  ], { maxBuffer: 500_000_000 });
}

/** The JPEG with an Exif block that says how it is turned, and where it was taken. */
export function withExif(jpeg: Buffer, orientation: number): Buffer {
  const gps = Buffer.from('GPS 48.8584N 2.2945E\0');
  const tiff = Buffer.alloc(8 + 2 + 12 + 4);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(0x0112, 10);
  tiff.writeUInt16LE(3, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, gps]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

/** The average red, green and blue of a part of a picture, 0 to 1 from its left upper corner. */
export function colourAt(picture: Buffer, x: number, y: number): readonly number[] {
  // prettier-ignore
  return [...execFileSync(FFMPEG, [
    '-hide_banner', '-loglevel', 'error', '-nostdin', '-noautorotate', '-i', 'pipe:0',
    '-vf', `crop=iw/10:ih/10:iw*${x}:ih*${y},scale=1:1:flags=area,format=rgb24`,
    '-f', 'rawvideo', 'pipe:1',
  ], { input: picture })];
}
