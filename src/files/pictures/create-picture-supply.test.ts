import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { ChatMessage, MediaSource } from '#core/llm/chat.ts';
import { realClock } from '#programs/processes.fixture.ts';
import { createFfmpeg, type PlainFormat } from '#programs/ffmpeg/ffmpeg.ts';
import { colourAt, makePicture, withExif } from '../../../test/make-picture.ts';
import { verifies } from '../../../test/verifies.ts';
import { createPictureSupply } from './create-picture-supply.ts';
import { scalePicture } from './scale-picture.ts';
import { pictureSize } from './picture-size.ts';

const ffmpeg = createFfmpeg({
  path: () => '',
  environment: process.env,
  cwd: tmpdir(),
  clock: realClock,
});
const withoutProgram = createFfmpeg({
  path: () => '',
  environment: { PATH: '/nowhere' },
  cwd: tmpdir(),
  clock: realClock,
});
const { signal } = new AbortController();
const MB = 1024 * 1024;

function asking(...pictures: readonly { bytes: Buffer; type: string }[]): readonly ChatMessage[] {
  const parts = pictures.map(({ bytes, type }) => ({
    type: 'image' as const,
    source: { base64: bytes.toString('base64'), mediaType: `image/${type}` },
  }));
  return [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...parts] }];
}

async function fit(
  picture: { bytes: Buffer; type: string },
  provider: 'glm' | 'kimi' | 'openrouter' = 'glm',
  program = ffmpeg,
) {
  const messages = asking(picture);
  const fitted = await createPictureSupply(program).fit(messages, provider, { signal });
  const content = fitted.messages[0]?.content;
  const part = typeof content === 'string' ? undefined : content?.[1];
  const source = part?.type === 'image' ? part.source : undefined;
  const { base64, mediaType } = source as Extract<MediaSource, { base64: string }>;
  const bytes = Buffer.from(base64, 'base64');
  return { bytes, mediaType, size: pictureSize(bytes, mediaType), notices: fitted.notices };
}

verifies('vision:scaled', 'a picture of 8000 by 800 pixels is scaled for GLM', async () => {
  const bytes = makePicture({ width: 8_000, height: 800, format: 'png' });
  const fitted = await fit({ bytes, type: 'png' });
  expect(fitted.size).toEqual({ width: 6_000, height: 600 });
  expect(fitted.bytes.length).toBeLessThan(5 * MB);
  expect(fitted.notices).toMatchObject([
    { code: 'picture_scaled', params: { picture: 1, from: '8000 x 800', to: '6000 x 600' } },
  ]);
});

verifies(
  'vision:scaled',
  'a photo is turned as its Exif block says, and has no metadata any more',
  async () => {
    const plain = makePicture({ width: 6_400, height: 200, format: 'jpeg', source: 'smptebars' });
    const turned = await fit({ bytes: withExif(plain, 6), type: 'jpeg' });
    expect(turned.mediaType).toBe('image/jpeg');
    expect(turned.size).toEqual({ width: 188, height: 6_000 });
    expect(turned.bytes.includes('Exif')).toBe(false);
    expect(turned.bytes.includes('GPS')).toBe(false);
    // What was left is at the top, after a quarter turn clockwise.
    const near = (a: readonly number[], b: readonly number[]) =>
      a.every((value, at) => Math.abs(value - (b[at] ?? 0)) < 12);
    expect(near(colourAt(turned.bytes, 0.8, 0), colourAt(plain, 0, 0.1))).toBe(true);
    expect(near(colourAt(turned.bytes, 0.8, 0.9), colourAt(plain, 0.9, 0.1))).toBe(true);
  },
);

describe('types', () => {
  test.each(['gif', 'webp', 'bmp', 'tiff'] as const)(
    'a small %s becomes a PNG for GLM, of the same size',
    async (format) => {
      const bytes = makePicture({ width: 320, height: 200, format });
      const fitted = await fit({ bytes, type: format });
      expect(fitted).toMatchObject({ mediaType: 'image/png', size: { width: 320, height: 200 } });
    },
  );

  test('of an animation the first picture is sent', async () => {
    const bytes = makePicture({ width: 300, height: 200, format: 'gif', frames: 40 });
    expect(await fit({ bytes, type: 'gif' })).toMatchObject({
      mediaType: 'image/png',
      size: { width: 300, height: 200 },
    });
    const kept = await fit({ bytes, type: 'gif' }, 'kimi');
    expect(kept.bytes.equals(bytes)).toBe(true);
  });

  test('a wrong type is corrected by the bytes', async () => {
    const bytes = makePicture({ width: 100, height: 100, format: 'jpeg' });
    const fitted = await fit({ bytes, type: 'png' });
    expect(fitted).toMatchObject({ mediaType: 'image/jpeg', notices: [] });
    expect(fitted.bytes.equals(bytes)).toBe(true);
  });

  test('a picture within the limits is sent as it is', async () => {
    const bytes = withExif(makePicture({ width: 400, height: 300, format: 'jpeg' }), 6);
    const fitted = await fit({ bytes, type: 'jpeg' });
    expect(fitted.bytes.equals(bytes)).toBe(true);
    expect(fitted.notices).toEqual([]);
  });
});

test('noise that stays too large is made smaller until it fits', async () => {
  const bytes = noise(500);
  const target = { maxBytes: 30_000, maxSidePixels: 6_000 };
  const scaled = await scalePicture({ bytes, mediaType: 'image/bmp' }, target, ffmpeg, signal);
  expect(scaled).toMatchObject({ mediaType: 'image/jpeg' });
  expect('bytes' in scaled && scaled.bytes.length).toBeLessThanOrEqual(30_000);
});

/** A square BMP of random pixels. */
function noise(side: number): Buffer {
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54 + side * side * 3, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(side, 18);
  head.writeInt32LE(side, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  const pixels = createHash('shake256', { outputLength: side * side * 3 })
    .update('noise')
    .digest();
  return Buffer.concat([head, pixels]);
}

test('a picture is scaled once for every attempt at a provider', async () => {
  let runs = 0;
  const counted = {
    ...ffmpeg,
    run(...args: Parameters<typeof ffmpeg.run>) {
      runs += 1;
      return ffmpeg.run(...args);
    },
  };
  const supply = createPictureSupply(counted);
  const bytes = makePicture({ width: 100, height: 100, format: 'gif' });
  const messages = asking({ bytes, type: 'gif' }, { bytes, type: 'gif' });
  await supply.fit(messages, 'glm', { signal });
  await supply.fit(messages, 'glm', { signal });
  expect(runs).toBe(2);
});

describe('refused', () => {
  /** A PNG whose header states a size; its pixels are missing. */
  function pngOf(width: number, height: number): Buffer {
    const bytes = makePicture({ width: 16, height: 16, format: 'png' });
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  }

  verifies('vision:refused', 'a picture of too many pixels, by its header', async () => {
    const large = { bytes: pngOf(60_000, 60_000), type: 'png' };
    for (const provider of ['kimi', 'openrouter'] as const) {
      const refused = { class: 'too_large', dueTo: 'request' };
      await expect(fit(large, provider)).rejects.toMatchObject(refused);
    }
    await expect(fit(large)).rejects.toMatchObject({
      class: 'too_large',
      field: 'messages[0].content[1]',
      message: expect.stringContaining('60000 x 60000'),
    });
  });

  test('a damaged picture that has to be scaled', async () => {
    const whole = makePicture({ width: 7_000, height: 700, format: 'jpeg' });
    for (const [bytes, type] of [
      [whole.subarray(0, whole.length >> 1), 'jpeg'],
      [pngOf(7_000, 700), 'png'],
    ] as const) {
      await expect(fit({ bytes, type })).rejects.toMatchObject({
        class: 'validation',
        message: expect.stringContaining('damaged or cut off'),
      });
    }
  });

  verifies(
    'vision:refused',
    'without ffmpeg the error names the limit and the command',
    async () => {
      const bytes = makePicture({ width: 6_100, height: 100, format: 'png' });
      await expect(fit({ bytes, type: 'png' }, 'glm', withoutProgram)).rejects.toMatchObject({
        class: 'not_configured',
        message: expect.stringMatching(/6100 x 100 pixels.*6000 x 6000.*ffmpeg/),
        fix: expect.stringContaining('apt-get install ffmpeg'),
      });
      expect(await createPictureSupply(withoutProgram).scaling()).toBe('missing');
      // Only a recommendation of the vendor.
      const kept = await fit({ bytes, type: 'png' }, 'kimi', withoutProgram);
      expect(kept.bytes.equals(bytes)).toBe(true);
    },
  );

  test('a cancelled question starts no program', async () => {
    const supply = createPictureSupply(ffmpeg);
    const bytes = makePicture({ width: 100, height: 100, format: 'gif' });
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(
      supply.fit(asking({ bytes, type: 'gif' }), 'glm', { signal: gone }),
    ).rejects.toThrow('gone');
  });
});

verifies('vision:refused', 'no input makes ffmpeg read a file or leave one', async () => {
  const playlists = [
    '#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n',
    "ffconcat version 1.0\nfile '/etc/hostname'\n",
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/hostname"/></svg>',
  ];
  const formats: readonly PlainFormat[] = ['png_pipe', 'jpeg_pipe', 'gif_pipe', 'tiff_pipe'];
  const before = readdirSync(tmpdir()).filter((name) => name.endsWith('.part'));
  for (const [at, playlist] of playlists.entries()) {
    for (const format of formats.slice(at, at + 2)) {
      const output = await ffmpeg.run({
        input: Buffer.from(playlist),
        format,
        output: ['-frames:v', '1', '-c:v', 'png'],
        maxPixels: 1_000_000,
        maxOutputBytes: MB,
        signal,
      });
      expect(output).toEqual({ is: 'failed' });
    }
  }
  expect(readdirSync(tmpdir()).filter((name) => name.endsWith('.part'))).toEqual(before);
});
