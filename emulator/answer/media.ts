import { isObject, type Dictionary } from '../is-object.ts';
import type { FindFile } from './question.ts';

/** A picture, video or document of a message, with what its bytes tell. */
export interface Media {
  readonly kind: 'image' | 'video' | 'file';
  /** Written before it, as `photo.png:`. */
  readonly name: string | undefined;
  readonly url: string;
  /** Unknown for an address that the vendor would have to fetch. */
  readonly type: string | undefined;
  readonly bytes: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

const KINDS = { image_url: 'image', video_url: 'video', file_url: 'file' } as const;

/** Enough for the head of any picture; the size in bytes is told by the length of the text. */
const HEAD_CHARS = 262_144;

const NAMED = /(?:^|\n)([^\n:]{1,200}):\s*$/;

/** The medium of a part; `before` is the text in front of it, which may end with its name. */
export function readMedia(part: Dictionary, before: string, findFile: FindFile): Media[] {
  const { type } = part;
  if (type !== 'image_url' && type !== 'video_url' && type !== 'file_url') return [];
  const value = part[type];
  const url = typeof value === 'string' ? value : isObject(value) ? value['url'] : undefined;
  if (typeof url !== 'string') return [];
  const kind = KINDS[type];
  const name = NAMED.exec(before)?.[1];
  const data = /^data:([^;,]{0,100})[^,]{0,100},/.exec(url);
  if (data !== null) {
    const encoded = url.length - data[0].length;
    const padding = url.endsWith('==') ? 2 : url.endsWith('=') ? 1 : 0;
    const head = Buffer.from(url.slice(data[0].length, data[0].length + HEAD_CHARS), 'base64');
    const bytes = Math.floor((encoded * 3) / 4) - padding;
    return [{ kind, name, url, type: data[1], bytes, ...pixelSize(head) }];
  }
  const file = findFile(url);
  return [
    {
      kind,
      name,
      url,
      type: file?.type,
      bytes: file?.data.length,
      ...pixelSize(file?.data ?? Buffer.alloc(0)),
    },
  ];
}

interface Pixels {
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** Of a PNG or JPEG, read from its bytes. */
export function pixelSize(data: Buffer): Pixels {
  if (data.length >= 24 && data.readUInt32BE(0) === 0x89504e47)
    return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  if (data.length >= 4 && data[0] === 0xff && data[1] === 0xd8) return jpegSize(data);
  return { width: undefined, height: undefined };
}

function jpegSize(data: Buffer): Pixels {
  let at = 2;
  while (at + 9 <= data.length && data[at] === 0xff) {
    const marker = data.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    at += 2 + data.readUInt16BE(at + 2);
  }
  return { width: undefined, height: undefined };
}

/** `1 image (image/png, 68 bytes, 1 x 1 pixels)`. */
export function describeMedia(media: readonly Media[]): string {
  const kinds = ['image', 'video', 'file'] as const;
  return kinds
    .flatMap((kind) => {
      const these = media.filter((one) => one.kind === kind);
      if (these.length === 0) return [];
      const facts = these.map((one) =>
        [
          one.type ?? 'of unknown type',
          ...(one.bytes === undefined ? [] : [`${one.bytes} bytes`]),
          ...(one.width === undefined ? [] : [`${one.width} x ${one.height} pixels`]),
        ].join(', '),
      );
      return [`${these.length} ${kind}${these.length > 1 ? 's' : ''} (${facts.join('; ')})`];
    })
    .join(' and ');
}
