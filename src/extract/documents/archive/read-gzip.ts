import { Buffer, isUtf8 } from 'node:buffer';
import type { DocumentContent, DocumentSource } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { damaged } from '../document-errors.ts';
import type { ArchiveListing } from './archive-entry.ts';
import { gzipName, unpackGzip } from './gzip-stream.ts';
import { isTarHeader, TarLister } from './tar-lister.ts';

/** A text of this size is read; a larger one is named. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

/** A TAR archive in gzip is listed, a text is read, another file is named. */
export function readGzip(
  bytes: Uint8Array,
  source: DocumentSource,
  write: (listing: ArchiveListing) => DocumentContent,
): DocumentContent {
  const kept: Uint8Array[] = [];
  let unpacked = 0;
  let tar: TarLister | undefined;
  let start = new Uint8Array();
  const state = unpackGzip(bytes, (chunk) => {
    unpacked += chunk.length;
    if (tar !== undefined) {
      tar.push(chunk);
      return 'more';
    }
    if (unpacked <= MAX_TEXT_BYTES) kept.push(chunk.slice());
    else kept.length = 0;
    if (start.length < 512) {
      start = new Uint8Array(Buffer.concat([start, chunk.subarray(0, 1024)]));
      if (start.length >= 512 && isTarHeader(start)) {
        tar = new TarLister();
        for (const each of kept.splice(0)) tar.push(each);
      }
    }
    return 'more';
  });
  if (tar !== undefined) {
    const isWhole = state === 'complete' && tar.state === 'complete';
    return write({ entries: tar.entries, state: isWhole ? 'complete' : 'damaged' });
  }
  if (unpacked === 0 && state === 'damaged') throw damaged('gzip', 'its data is not valid');
  const name = gzipName(bytes) ?? source.name?.replace(/\.gz$/i, '') ?? 'file';
  const listing = write({ entries: [{ name, bytes: unpacked, kind: 'file' }], state });
  const text = Buffer.concat(kept);
  if (text.length === 0 || !isText(text)) {
    const unread = notice('document_parts_not_read', { parts: [name] });
    return { ...listing, notices: [...listing.notices, unread] };
  }
  return {
    title: name,
    parts: [{ place: { is: 'document' }, markdown: text.toString('utf8').replace(/^\ufeff/, '') }],
    notices: listing.notices,
  };
}

/** Valid UTF-8 without the control characters of binary files. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.subarray(0, 8192).some((byte) => byte < 9);
}
