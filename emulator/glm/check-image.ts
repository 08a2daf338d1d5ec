import { pixelSize } from '../answer/media.ts';
import type { GlmError } from './errors.ts';
import type { GlmModel } from './models.ts';

const MAX_IMAGE_BYTES = 5 * 1_048_576;
const MAX_PIXELS = 6_000;
/**
 * Looked for, and not matched against a whole picture, so that a huge one costs no more than its
 * length.
 */
const NOT_BASE64 = /[^A-Za-z0-9+/=\s]/;

/** An address, a `data:` URL, or base64 without any prefix, which is taken as well. */
export function checkImage(url: unknown, model: GlmModel): GlmError | undefined {
  if (typeof url !== 'string' || url === '') return { code: '1213', about: 'image_url.url' };
  if (/^https?:\/\/\S+$/.test(url)) return undefined;
  const picture = decodeImage(url);
  if (picture === undefined) return { code: '1214', about: 'image_url.url' };
  if (model.id === 'glm-4v-flash')
    return { code: '1210', detail: 'glm-4v-flash does not take base64 images.' };
  if (picture.data.length > MAX_IMAGE_BYTES)
    return { code: '1210', detail: 'An image can have 5 MB at most.' };
  if (picture.type === undefined)
    return { code: '1210', detail: 'Images must be jpg, jpeg or png.' };
  const { width = 0, height = 0 } = pixelSize(picture.data);
  if (width > MAX_PIXELS || height > MAX_PIXELS)
    return {
      code: '1210',
      detail: `An image can have ${MAX_PIXELS} x ${MAX_PIXELS} pixels at most.`,
    };
  return undefined;
}

export interface Picture {
  /** By its bytes; undefined when they are neither JPEG nor PNG. */
  readonly type: string | undefined;
  readonly data: Buffer;
}

export function decodeImage(url: string): Picture | undefined {
  const encoded = url.startsWith('data:') ? /^data:[^,]{0,100};base64,/.exec(url)?.[0].length : 0;
  if (encoded === undefined) return undefined;
  const text = url.slice(encoded);
  if (text === '' || NOT_BASE64.test(text)) return undefined;
  const data = Buffer.from(text, 'base64');
  return { type: typeOf(data), data };
}

function typeOf(data: Buffer): string | undefined {
  if (data.length >= 4 && data.readUInt32BE(0) === 0x89504e47) return 'image/png';
  if (data.length >= 3 && data[0] === 0xff && data[1] === 0xd8 && data[2] === 0xff)
    return 'image/jpeg';
  return undefined;
}
