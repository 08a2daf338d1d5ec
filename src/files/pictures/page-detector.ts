import { createBoundedMap } from '#core/bounded-map.ts';
import type { Ffmpeg } from '#programs/ffmpeg/ffmpeg.ts';
import { MAX_PIXELS } from '../limits.ts';
import { looksLikePage } from './page-likeness.ts';
import { pictureSize } from './picture-size.ts';
import { PICTURE_FORMATS, type PictureBytes } from './scale-picture.ts';

/** Tells pictures of pages, whose text is recognised first, from others. */
export type IsPage = (
  picture: PictureBytes & { readonly sha256: string },
  signal: AbortSignal,
) => Promise<boolean>;

/** A picture with less has no page that could be read. */
const LEAST_SIDE_PIXELS = 700;
/** Enough for lines of text to be apart. */
const LOOKED_AT_PIXELS = 600;
const MAX_KNOWN = 500;

/** Looks at a small copy of each picture once. Without ffmpeg no picture is a page. */
export function createPageDetector(ffmpeg: Ffmpeg): IsPage {
  const known = createBoundedMap<string, boolean>({
    maxEntries: MAX_KNOWN,
    maxWeight: MAX_KNOWN,
    weigh: () => 1,
  });
  return async ({ bytes, mediaType, sha256 }, signal) => {
    const before = known.get(sha256);
    if (before !== undefined) return before;
    const format = PICTURE_FORMATS[mediaType];
    const size = pictureSize(bytes, mediaType);
    if (format === undefined || !size) return false;
    const longer = Math.max(size.width, size.height);
    if (longer < LEAST_SIDE_PIXELS || size.width * size.height > MAX_PIXELS) return false;
    if ((await ffmpeg.find().catch(() => undefined)) === undefined) return false;
    const factor = Math.min(1, LOOKED_AT_PIXELS / longer);
    const width = Math.max(1, Math.round(size.width * factor));
    const height = Math.max(1, Math.round(size.height * factor));
    const grey = await ffmpeg.run({
      input: bytes,
      format,
      // prettier-ignore
      output: [
        '-frames:v', '1', '-vf', `scale=${width}:${height}:flags=area,format=gray`, '-c:v', 'rawvideo',
      ],
      maxPixels: MAX_PIXELS,
      maxOutputBytes: width * height,
      signal,
    });
    const isPage = grey.is === 'done' && looksLikePage({ pixels: grey.bytes, width, height });
    known.set(sha256, isPage);
    return isPage;
  };
}
