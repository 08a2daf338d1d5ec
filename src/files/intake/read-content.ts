import { CallError } from '#core/errors/call-error.ts';
import type { LoadedMedia } from '#core/files/file-intake.ts';
import type { AskText } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { declaredFormats } from '#extract/documents/format-names.ts';
import { MAX_PIXELS } from '../limits.ts';
import type { IsPage } from '../pictures/page-detector.ts';
import type { ExtractText } from './extract-text.ts';
import { intakeKind, wrongDeclaration, type DeclaredFile, type IntakeKind } from './file-kind.ts';
import { shownName } from './file-names.ts';
import { pictureSize } from '../pictures/picture-size.ts';

const PASSWORD_FIX =
  'Attach its text, or a copy without a password. To make the text: exai read FILE --password PASSWORD --to FILE.md';

/** Bytes of a file, wherever they come from. */
export interface FileBytes extends DeclaredFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** The text, where it came as one. */
  readonly text?: string;
  /** Reads the same bytes again, and does not hold them. */
  readonly again: () => AsyncIterable<Uint8Array>;
}

/** A file as a model gets it. */
export interface ReadContent {
  readonly text?: AskText;
  readonly media?: LoadedMedia;
  readonly mediaType: string;
  readonly isEmpty?: true;
  readonly notices: readonly Notice[];
}

/** Reads a file that is not empty. Throws an error that names it. */
export async function readFileContent(
  file: FileBytes,
  field: string,
  extract: ExtractText,
  signal: AbortSignal,
  isPage?: IsPage,
): Promise<ReadContent> {
  const kind: IntakeKind =
    file.text === undefined ? intakeKind(file.bytes, file) : { is: 'text', text: file.text };
  if (kind.is === 'document') return readDocument(file, field, extract, signal);
  const { name, sha256, bytes } = file;
  const mediaType = kind.is === 'text' ? 'text/plain' : kind.mediaType;
  const declared = file.text === undefined ? wrongDeclaration(kind, file) : undefined;
  const notices = correction(name, declared, mediaType);
  if (kind.is === 'text') return { text: { name, text: kind.text }, mediaType, notices };
  if (kind.is === 'image') requirePixels(file, mediaType, field);
  const source = { base64: base64Of(bytes), mediaType };
  const media: LoadedMedia = { name, sha256, part: { type: kind.is, source } };
  const isScan = kind.is === 'image' && (await isPage?.({ bytes, mediaType, sha256 }, signal));
  return { media, mediaType, notices, ...(isScan && { text: pageText(file, mediaType) }) };
}

/** What stands for the text of a page that no provider recognises. */
const UNREAD_PAGE =
  '(The text of this picture was not recognised. The picture itself is attached.)';

/** A picture of a page as a document, whose text is recognised before a model is asked. */
function pageText(file: FileBytes, mediaType: string): AskText {
  const { name, sha256, bytes } = file;
  const size = bytes.length;
  const document = { sha256, mediaType, size, scannedPages: 1, bytes: () => file.again() };
  return { name, text: UNREAD_PAGE, document };
}

async function readDocument(
  file: FileBytes,
  field: string,
  extract: ExtractText,
  signal: AbortSignal,
): Promise<ReadContent> {
  const { name, sha256, bytes, again } = file;
  const { text, format, mediaType, scannedPages, notices } = await extract(file, signal).catch(
    (thrown: unknown) => {
      signal.throwIfAborted();
      throw aboutFile(thrown, name, field);
    },
  );
  const wrong = declaredFormats(file).find(({ formats }) => !formats.includes(format));
  const all = [
    ...correction(name, wrong?.label, mediaType),
    ...notices.map((about) => notice('about_file', { file: name, about })),
  ];
  // A text in another encoding is a text.
  if (format === 'text') return { text: { name, text }, mediaType, notices: all };
  const document = {
    sha256,
    mediaType,
    size: bytes.length,
    scannedPages,
    // Nothing else of the file is kept: 1 GB of documents may be attached.
    bytes: again,
  };
  return { text: { name, text, document }, mediaType, notices: all };
}

function correction(file: string, declared: string | undefined, actual: string): readonly Notice[] {
  if (declared === undefined) return [];
  return [
    notice('about_file', { file, about: notice('document_type_corrected', { declared, actual }) }),
  ];
}

/** The error of a reader, which does not know the name of the file. */
function aboutFile(thrown: unknown, name: string, field: string): CallError {
  const error = CallError.from(thrown);
  const { retryAfterMs, retry } = error;
  // Class `auth` is about the client's own key where a file is attached. No form takes a password.
  const isLocked = error.class === 'auth';
  const fixes = isLocked ? [PASSWORD_FIX] : error.fixes;
  return new CallError(
    isLocked ? 'validation' : error.class,
    `${shownName(name)} cannot be read. ${error.message}`,
    {
      field,
      fixes,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(retry !== undefined && { retry }),
      cause: error,
    },
  );
}

/** Whether a document was refused because it needs a password. */
export function isRefusedForPassword({ cause }: CallError): boolean {
  return cause instanceof CallError && cause.class === 'auth';
}

function requirePixels({ name, bytes }: FileBytes, mediaType: string, field: string): void {
  // A header that cannot be read is left to the provider.
  const { width, height } = pictureSize(bytes, mediaType) ?? { width: 0, height: 0 };
  if (width * height <= MAX_PIXELS) return;
  const message = `${shownName(name)} has ${width} × ${height} pixels; at most ${MAX_PIXELS} are allowed in all.`;
  throw new CallError('too_large', message, { field, fix: 'Scale the picture down.' });
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Refuses more of texts or media than one call may attach. */
export function requireInAll(bytes: number, limit: number, what: string, field: string): void {
  if (bytes <= limit) return;
  const message = `The ${what} of this call are over the limit of ${formatMegabytes(limit)} in all.`;
  throw new CallError('too_large', message, {
    field,
    fix: 'Attach fewer of them, or parts of them.',
  });
}
