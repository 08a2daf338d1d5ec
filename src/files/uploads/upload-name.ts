import { oneLine } from '#core/text/text.ts';

const MAX_CHARS = 120;

/** Extensions by which vendors recognise what they extract. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/epub+zip': 'epub',
  'text/html': 'html',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

/**
 * The name under which a file is uploaded: without folders, in one line, with the extension of its
 * type. The path on this machine is not sent.
 */
export function uploadName(name: string, mediaType: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const line = oneLine(last, MAX_CHARS).toWellFormed().trim();
  const base = line === '' || /^\.+$/.test(line) ? 'file' : line;
  const extension = EXTENSIONS[mediaType];
  if (extension === undefined) return base;
  const own = /\.([a-z0-9]{1,5})$/i.exec(base)?.[1]?.toLowerCase();
  const isSame = own === extension || (extension === 'jpg' && own === 'jpeg');
  return isSame || (extension === 'html' && own === 'htm') ? base : `${base}.${extension}`;
}
