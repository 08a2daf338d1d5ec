/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size that the header of a picture declares; undefined if the format is not known here or the
 * header is damaged. No pixel is decoded.
 */
export function pictureSize(bytes: Uint8Array, mediaType: string): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return READERS[mediaType]?.(view);
  } catch {
    // The header ends too early.
    return undefined;
  }
}

type SizeReader = (view: DataView) => PictureSize | undefined;

const READERS: Readonly<Record<string, SizeReader>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/bmp': (view) => ({
    width: Math.abs(view.getInt32(18, true)),
    height: Math.abs(view.getInt32(22, true)),
  }),
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
  'image/tiff': tiffSize,
};

const START_OF_FRAME = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf,
]);

function jpegSize(view: DataView): PictureSize | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // A fill byte, or a marker without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (START_OF_FRAME.has(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

function webpSize(view: DataView): PictureSize | undefined {
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  switch (chunk) {
    case 'VP8 ':
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
}

const TIFF_WIDTH = 256;
const TIFF_HEIGHT = 257;
const TIFF_SHORT = 3;
const MAX_TIFF_ENTRIES = 500;

function tiffSize(view: DataView): PictureSize | undefined {
  const isLittle = view.getUint16(0) === 0x4949;
  const start = view.getUint32(4, isLittle);
  const count = Math.min(view.getUint16(start, isLittle), MAX_TIFF_ENTRIES);
  let width: number | undefined;
  let height: number | undefined;
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + 2 + entry * 12;
    const tag = view.getUint16(at, isLittle);
    if (tag !== TIFF_WIDTH && tag !== TIFF_HEIGHT) continue;
    const isShort = view.getUint16(at + 2, isLittle) === TIFF_SHORT;
    const value = isShort ? view.getUint16(at + 8, isLittle) : view.getUint32(at + 8, isLittle);
    if (tag === TIFF_WIDTH) width = value;
    else height = value;
  }
  return width === undefined || height === undefined ? undefined : { width, height };
}
