import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createFfmpeg } from '#programs/ffmpeg/ffmpeg.ts';
import { realClock } from '#programs/processes.fixture.ts';
import { makePage } from '../../../test/make-page.ts';
import { makePicture } from '../../../test/make-picture.ts';
import { createPageDetector } from './page-detector.ts';
import { looksLikePage } from './page-likeness.ts';

const ffmpegIn = (PATH: string | undefined) =>
  createFfmpeg({ path: () => '', environment: { PATH }, cwd: tmpdir(), clock: realClock });
const { signal } = new AbortController();
const pictureOf = (bytes: Buffer, mediaType: string) => ({
  bytes,
  mediaType,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

test('a picture with lines of text is a page, and looked at once', async () => {
  let runs = 0;
  const ffmpeg = ffmpegIn(process.env['PATH']);
  const isPage = createPageDetector({
    ...ffmpeg,
    run(...args) {
      runs += 1;
      return ffmpeg.run(...args);
    },
  });
  const page = pictureOf(makePage(), 'image/bmp');
  expect(await isPage(page, signal)).toBe(true);
  expect(await isPage(page, signal)).toBe(true);
  expect(runs).toBe(1);
});

test.each(['testsrc', 'smptebars', 'mandelbrot', 'color=white'])('%s is none', async (source) => {
  const bytes = makePicture({ width: 900, height: 700, format: 'png', source });
  const isPage = createPageDetector(ffmpegIn(process.env['PATH']));
  expect(await isPage(pictureOf(bytes, 'image/png'), signal)).toBe(false);
});

test('a small or damaged picture is none, and without ffmpeg nothing is', async () => {
  const isPage = createPageDetector(ffmpegIn(process.env['PATH']));
  const page = makePage();
  expect(await isPage(pictureOf(makePage(300, 400), 'image/bmp'), signal)).toBe(false);
  expect(await isPage(pictureOf(page.subarray(0, 2_000), 'image/bmp'), signal)).toBe(false);
  const without = createPageDetector(ffmpegIn('/nowhere'));
  expect(await without(pictureOf(page, 'image/bmp'), signal)).toBe(false);
});

describe('shares of ink', () => {
  const grey = (at: (x: number, y: number) => number, width = 200, height = 260) => ({
    pixels: Uint8Array.from({ length: width * height }, (_, i) =>
      at(i % width, Math.floor(i / width)),
    ),
    width,
    height,
  });
  test('lines on paper, upright, on their side, and in uneven light', () => {
    const ink = (x: number, y: number) => y % 12 < 4 && y > 20 && x % 3 !== 0;
    expect(looksLikePage(grey((x, y) => (ink(x, y) ? 30 : 240)))).toBe(true);
    expect(looksLikePage(grey((x, y) => (ink(y, x) ? 30 : 240)))).toBe(true);
    expect(looksLikePage(grey((x, y) => (ink(x, y) ? 60 : 160 + Math.round(x / 3))))).toBe(true);
  });
  test('dark, empty, black and missing pictures are none', () => {
    expect(looksLikePage(grey((_, y) => (y % 12 < 4 ? 200 : 30)))).toBe(false);
    expect(looksLikePage(grey(() => 255))).toBe(false);
    expect(looksLikePage(grey(() => 0))).toBe(false);
    expect(looksLikePage({ pixels: new Uint8Array(10), width: 100, height: 100 })).toBe(false);
    expect(looksLikePage({ pixels: new Uint8Array(0), width: 0, height: 0 })).toBe(false);
  });
});
