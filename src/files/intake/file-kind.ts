import { declaredFormats, extensionOf } from '#extract/documents/format-names.ts';
import { matchSignature, NO_DOCUMENTS } from '#extract/documents/magic-numbers.ts';
import { decodeAnyText, decodeText } from '../read-text-in-roots.ts';

/** How a file reaches a model. */
export type IntakeKind =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'image' | 'video'; readonly mediaType: string }
  /** Read by the extractor, which also says what it is not able to read. */
  | { readonly is: 'document' };

export interface DeclaredFile {
  readonly name: string;
  /** The declared media type, if any. */
  readonly contentType?: string;
}

const HEAD_BYTES = 1_024;
/** Texts that only a reader of their format makes readable. */
const READ_AS_DOCUMENTS = new Set(['ipynb', 'eml', 'mht', 'mhtml']);
/** Formats that are text, so that a program may call a text by their names. */
const PLAIN = new Set<string>(['text', 'csv', 'notebook', 'eml', 'html']);
/** Said of any bytes. */
const ANY_TYPE = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const SAME_TYPES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/heif': 'image/heic',
  'video/x-m4v': 'video/mp4',
};

/** Decides by the bytes, and by the name where they leave it open. */
export function intakeKind(bytes: Uint8Array, { name, contentType }: DeclaredFile): IntakeKind {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const isMarkedDocument = head.includes('%PDF-') || head.startsWith('{\\rtf');
  if (!isMarkedDocument && !READ_AS_DOCUMENTS.has(extensionOf(name))) {
    const text = decodeText(bytes);
    if (text !== undefined) return { is: 'text', text };
  }
  const { mediaType = '' } = matchSignature(bytes, NO_DOCUMENTS) ?? {};
  const [is] = mediaType.split('/', 1);
  if (is === 'image' || is === 'video') return { is, mediaType };
  // A text that came as one may contain any character.
  return contentType === 'text/plain' &&
    mediaType === '' &&
    !isMarkedDocument &&
    !head.startsWith('PK')
    ? { is: 'text', text: decodeAnyText(bytes) }
    : { is: 'document' };
}

/** What the name or the declared type says, where the bytes of a text or of media disagree. */
export function wrongDeclaration(
  kind: Exclude<IntakeKind, { is: 'document' }>,
  file: DeclaredFile,
): string | undefined {
  const type = bareType(file.contentType);
  const formats = declaredFormats(file);
  if (kind.is === 'text') {
    if (/^(?:image|video|audio)\//.test(type) && !type.startsWith('image/svg')) return type;
    return formats.find((each) => !each.formats.some((format) => PLAIN.has(format)))?.label;
  }
  const isOther = !ANY_TYPE.has(type) && type !== kind.mediaType;
  return isOther ? type : formats[0]?.label;
}

function bareType(contentType = ''): string {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return SAME_TYPES[type] ?? type;
}
