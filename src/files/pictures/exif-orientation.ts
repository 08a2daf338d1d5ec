/** How a picture is turned for display, 1 to 8 as Exif numbers them. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const APP1 = 0xe1;
const START_OF_SCAN = 0xda;
const ORIENTATION_TAG = 0x0112;
const MAX_ENTRIES = 200;

/** The orientation that a picture states; 1 without one. No pixel is decoded. */
export function readOrientation(bytes: Uint8Array, mediaType: string): Orientation {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const exif = FINDERS[mediaType]?.(view);
    return exif ? orientationIn(exif) : 1;
  } catch {
    // The metadata end too early.
    return 1;
  }
}

const FINDERS: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  'image/jpeg': exifOfJpeg,
  'image/png': exifOfPng,
  'image/webp': exifOfWebp,
  'image/tiff': (bytes) => bytes,
};

function exifOfJpeg(bytes: Buffer): Buffer | undefined {
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) return undefined;
    const length = bytes.readUInt16BE(at + 2);
    const content = bytes.subarray(at + 4, at + 2 + length);
    if (marker === APP1 && isExif(content)) return content.subarray(6);
    at += 2 + Math.max(2, length);
  }
  return undefined;
}

function isExif(content: Buffer): boolean {
  return content.toString('latin1', 0, 6) === 'Exif\0\0';
}

function exifOfPng(bytes: Buffer): Buffer | undefined {
  let at = 8;
  for (;;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'eXIf') return bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IDAT' || type === 'IEND') return undefined;
    at += 12 + length;
  }
}

function exifOfWebp(bytes: Buffer): Buffer | undefined {
  let at = 12;
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32LE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === 'EXIF') {
      const content = bytes.subarray(at + 8, at + 8 + length);
      return isExif(content) ? content.subarray(6) : content;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** The orientation in a block of Exif, which has the form of a TIFF file. */
function orientationIn(exif: Buffer): Orientation {
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const read32 = (at: number) => (isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  if (read16(2) !== 42) return 1;
  const start = read32(4);
  const count = Math.min(read16(start), MAX_ENTRIES);
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + 2 + entry * 12;
    if (read16(at) !== ORIENTATION_TAG) continue;
    const value = read16(at + 8);
    return value >= 1 && value <= 8 ? (value as Orientation) : 1;
  }
  return 1;
}
