import { attachmentName } from '#core/text/attachment-name.ts';
import { oneLine } from '#core/text/text.ts';

const MAX_NAME_CHARS = 1_024;
const MAX_SHOWN_CHARS = 200;
/** Control characters, and those that reverse or hide the text around them. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;
const DIGEST_CHARS = 8;

/** A name from a caller as the name of an attachment: one line without invisible characters. */
export function fileName(given: string): string {
  const plain = given.replaceAll(UNSAFE, ' ').replaceAll(/\s+/g, ' ').trim();
  return attachmentName(oneLine(plain, MAX_NAME_CHARS).toWellFormed());
}

/** A name in a message. */
export function shownName(given: string): string {
  const name = fileName(given);
  return name === '' ? 'a file' : JSON.stringify(oneLine(name, MAX_SHOWN_CHARS));
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/zip': 'zip',
  'image/jpeg': 'jpg',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

/**
 * The name of a content without one. It follows from the content, so that the same content has the
 * same name in every call and another has another.
 */
export function nameOfContent(sha256: string, contentType = ''): string {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const [, subtype = ''] = type.split('/');
  const extension = EXTENSIONS[type] ?? (/^[a-z0-9]{1,5}$/.test(subtype) ? subtype : '');
  const stem = `file-${sha256.slice(0, DIGEST_CHARS)}`;
  return extension === '' ? stem : `${stem}.${extension}`;
}
