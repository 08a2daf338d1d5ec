import { officeText } from './office-text.ts';

const TEXT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/zip',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/zip',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/zip',
  epub: 'application/epub+zip',
  mobi: 'application/x-mobipocket-ebook',
  html: 'text/html',
  json: 'application/json',
  csv: 'text/csv',
  md: 'text/markdown',
};

const IMAGES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
  tiff: 'image/tiff',
  heic: 'image/heic',
};

const VIDEOS: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
};

const PLAIN = new Set(
  (
    'txt log yaml yml ini conf xml toml go py java c h cc cpp hpp cs js jsx mjs ts tsx php rb rs swift kt scala sh bat ps1 sql r lua pl css ' +
    'scss vue asp'
  ).split(' '),
);

/** The media type by the file's ending; `undefined` for one that the vendor does not read. */
export function typeOf(filename: string): string | undefined {
  const ending = /\.([^.]{1,10})$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  for (const types of [TEXT_TYPES, IMAGES, VIDEOS])
    if (Object.hasOwn(types, ending)) return types[ending];
  return PLAIN.has(ending) ? 'text/plain' : undefined;
}

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');

/** The text of a file: unchanged, that of an office document, or the readable strings of a binary file. */
export function extractText(data: Buffer, type: string): string {
  if (data.subarray(0, 4).equals(ZIP)) return officeText(data);
  if (type === 'application/pdf') return pdfText(data.toString('latin1'));
  const whole = data.toString('utf8');
  if (!whole.includes('\u0000') && !whole.includes('\uFFFD')) return whole;
  return (data.toString('latin1').match(/[\x20-\x7e]{6,}/g) ?? []).join('\n');
}

/**
 * What an uncompressed PDF shows; nothing of a compressed one. A comment `% scan: …` stands for what
 * the pictures of its pages show.
 */
export function pdfText(source: string): string {
  const shown = source.matchAll(/\(((?:[^()\\]|\\.){1,10000})\)\s*Tj|^% scan: (.{1,2000})$/gm);
  return [...shown]
    .map(([, text, scan]) => scan ?? (text ?? '').replace(/\\(.)/g, '$1'))
    .join('\n');
}
