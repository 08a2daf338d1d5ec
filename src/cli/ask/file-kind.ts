export type ImageType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/webp'
  | 'image/gif'
  | 'image/bmp'
  | 'image/tiff';

/** What a file is, by its first bytes. `other`: text, or something that is not known here. */
export type FileKind =
  | { readonly is: 'image'; readonly mediaType: ImageType }
  | { readonly is: 'document'; readonly name: string }
  | { readonly is: 'other' };

/** Enough bytes to tell the kinds apart. */
const HEAD_BYTES = 4_096;

/** A way to find a kind: bytes at a position, and for containers a name inside. */
interface Signature {
  readonly kind: FileKind;
  readonly at: readonly (readonly [offset: number, bytes: string])[];
  readonly contains?: RegExp;
}

const image = (mediaType: ImageType): FileKind => ({ is: 'image', mediaType });
const document = (name: string): FileKind => ({ is: 'document', name });
const ZIP = 'PK\u0003\u0004';

/** The bytes as Latin-1. */
const SIGNATURES: readonly Signature[] = [
  { kind: image('image/png'), at: [[0, '\u0089PNG\r\n\u001a\n']] },
  { kind: image('image/jpeg'), at: [[0, '\u00ff\u00d8\u00ff']] },
  { kind: image('image/gif'), at: [[0, 'GIF87a']] },
  { kind: image('image/gif'), at: [[0, 'GIF89a']] },
  {
    kind: image('image/webp'),
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    kind: image('image/bmp'),
    at: [
      [0, 'BM'],
      [6, '\u0000\u0000\u0000\u0000'],
    ],
  },
  { kind: image('image/tiff'), at: [[0, 'II*\u0000']] },
  { kind: image('image/tiff'), at: [[0, 'MM\u0000*']] },
  { kind: document('PDF'), at: [[0, '%PDF-']] },
  { kind: document('Office'), at: [[0, '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1']] },
  { kind: document('RTF'), at: [[0, '{\\rtf']] },
  {
    kind: document('Office'),
    at: [[0, ZIP]],
    contains: /\[Content_Types\]\.xml|_rels\/|word\/|xl\/|ppt\//,
  },
  {
    kind: document('OpenDocument'),
    at: [[0, ZIP]],
    contains: /application\/vnd\.oasis\.opendocument/,
  },
];

/** The kind of a file, by its bytes; its name may say anything. */
export function kindOfBytes(head: Uint8Array): FileKind {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1');
  const found = SIGNATURES.find(
    ({ at, contains }) =>
      at.every(([offset, bytes]) => text.startsWith(bytes, offset)) &&
      (contains === undefined || contains.test(text)),
  );
  return found?.kind ?? { is: 'other' };
}
