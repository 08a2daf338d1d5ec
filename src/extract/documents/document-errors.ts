import { CallError } from '#core/errors/call-error.ts';

/** The largest document that is read. */
export const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

const FIELD = 'document';

export function requireDocumentSize(bytes: number): void {
  if (bytes > MAX_DOCUMENT_BYTES) throw tooLarge('bytes', MAX_DOCUMENT_BYTES);
}

/** A limit of a format: `tooLarge('unpacked bytes', 500_000_000)`. */
export function tooLarge(what: string, limit: number): CallError {
  return new CallError('too_large', `The document has more than ${limit} ${what}.`, {
    field: FIELD,
    fix: 'Read a smaller document, or a part of this one.',
  });
}

/** Bytes that are not a document of their format: `damaged('DOCX', 'its ZIP directory is missing')`. */
export function damaged(format: string, problem: string, cause?: unknown): CallError {
  return new CallError('validation', `The ${format} document cannot be read: ${problem}.`, {
    field: FIELD,
    fix: 'Open it in its program and save it again.',
    ...(cause !== undefined && { cause }),
  });
}

export function unsupported(format: string, problem: string): CallError {
  return new CallError('validation', `This ${format} document is not supported: ${problem}.`, {
    field: FIELD,
  });
}

/** A range of pages behind the last one. */
export function noSuchPage(first: number, pageCount: number): CallError {
  const has = pageCount === 1 ? 'one page' : `${pageCount} pages`;
  return new CallError('validation', `The document has ${has}; there is no page ${first}.`, {
    field: 'pages',
    fix: `Name pages from 1 to ${pageCount}.`,
  });
}

/** An encrypted document; `wrong` if a password was given. */
export function needsPassword(format: string, state: 'missing' | 'wrong'): CallError {
  return new CallError(
    'auth',
    state === 'missing'
      ? `The ${format} document is encrypted and needs a password.`
      : `The password of the ${format} document is wrong.`,
    { field: 'password', fix: 'Give the password of the document.' },
  );
}

/** A file without text to read: `noDocument('a PNG image')`. */
export function noDocument(kind: string): CallError {
  return new CallError('validation', `The file is ${kind}, not a document with text.`, {
    field: FIELD,
    fix: 'Give a document, such as PDF, DOCX, XLSX, HTML or text.',
  });
}
