import type { DocumentFormat, DocumentSource } from '#core/extract/document.ts';
import { decodeUnknownText } from '../encoding/decode-text.ts';
import { wideEncoding } from '../encoding/guess-encoding.ts';
import { compoundKind, startsAsPackage, zipFormat } from './container-kind.ts';
import { noDocument } from './document-errors.ts';
import { declaredFormats, mediaTypeOf } from './format-names.ts';
import { ARCHIVES, matchSignature, NO_DOCUMENTS } from './magic-numbers.ts';
import { textFormat } from './text-format.ts';

export interface DetectedFormat {
  readonly format: DocumentFormat;
  readonly mediaType: string;
  /** The declared type or extension, where it disagrees with the bytes. */
  readonly disagrees?: string;
}

/** Bytes that are looked at to tell text from other files. */
const SAMPLE_BYTES = 16 * 1024;
/** PDF readers accept this many bytes before the header. */
const PDF_HEADER_BYTES = 1024;
/** Of the bytes of a text, at most this part are control characters. */
const MAX_CONTROLS = 0.02;

/** Decides by bytes, then by name and declared type, what a document is. */
export function detectFormat(bytes: Uint8Array, source: DocumentSource): DetectedFormat {
  const [format, mediaType] = formatOf(bytes, source);
  const declared = declaredFormats(source);
  const wrong = declared.find(({ formats }) => !formats.includes(format));
  return {
    format,
    mediaType: mediaType ?? mediaTypeOf(format, source),
    ...(wrong !== undefined && { disagrees: wrong.label }),
  };
}

function formatOf(
  bytes: Uint8Array,
  source: DocumentSource,
): readonly [DocumentFormat, mediaType?: string] {
  if (startsWith(bytes, '%PDF-', PDF_HEADER_BYTES)) return ['pdf'];
  if (startsWith(bytes, 'PK\u0003\u0004') || startsWith(bytes, 'PK\u0005\u0006'))
    return zipOf(bytes, source);
  if (startsWith(bytes, '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'))
    return compoundOf(bytes, source);
  if (startsWith(bytes, '{\\rtf')) return ['rtf'];
  const archive = matchSignature(bytes, ARCHIVES);
  if (archive !== undefined) return ['archive', archive.mediaType];
  const other = matchSignature(bytes, NO_DOCUMENTS);
  if (other !== undefined && !isText(bytes)) throw noDocument(other.name);
  if (!isText(bytes)) throw noDocument('binary data of an unknown kind');
  return [
    textFormat(decodeUnknownText(bytes.subarray(0, SAMPLE_BYTES), source.contentType).text, source),
  ];
}

const PACKAGES = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'epub'] as const;
const ENCRYPTED_PACKAGES = ['docx', 'xlsx', 'pptx'] as const;

function zipOf(bytes: Uint8Array, source: DocumentSource): readonly [DocumentFormat, string?] {
  const format = zipFormat(bytes);
  if (format !== 'archive') return [format];
  // A package whose main part is cut off is a damaged document, not an archive.
  const declared = declaredAs(PACKAGES, source);
  if (declared !== undefined && startsAsPackage(bytes)) return [declared];
  return ['archive', 'application/zip'];
}

function declaredAs<Format extends DocumentFormat>(
  formats: readonly Format[],
  source: DocumentSource,
): Format | undefined {
  return formats.find((format) =>
    declaredFormats(source).some(({ formats: [first] }) => first === format),
  );
}

function compoundOf(bytes: Uint8Array, source: DocumentSource): readonly [DocumentFormat] {
  const kind = compoundKind(bytes);
  if (kind === 'other') {
    const legacy = declaredAs(['doc', 'xls', 'ppt', 'msg'], source);
    if (legacy !== undefined) return [legacy];
    throw noDocument('a compound file without a known document');
  }
  // The format inside is known when it is decrypted.
  return [kind === 'encrypted' ? (declaredAs(ENCRYPTED_PACKAGES, source) ?? 'docx') : kind];
}

function startsWith(bytes: Uint8Array, text: string, within = text.length): boolean {
  const start = Buffer.from(bytes.subarray(0, within + text.length)).toString('latin1');
  return within === text.length ? start.startsWith(text) : start.includes(text);
}

/** Text of any encoding: hardly any control characters; zero bytes only in UTF-16. */
function isText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.length === 0) return true;
  const [a, b] = sample;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  if (sample.includes(0)) return wideEncoding(sample) !== undefined;
  let controls = 0;
  for (const byte of sample)
    if (
      byte < 0x20 &&
      byte !== 0x09 &&
      byte !== 0x0a &&
      byte !== 0x0d &&
      byte !== 0x0c &&
      byte !== 0x1b
    )
      controls += 1;
  return controls <= sample.length * MAX_CONTROLS;
}
