import { Buffer } from 'node:buffer';
import { tooLarge } from '../document-errors.ts';
import { HeaderFields, parseParameters } from './header-fields.ts';
import { decodeTransfer } from './transfer-encoding.ts';

/** A part of a mail: a text, an attachment, or parts. */
export interface MimePart {
  readonly headers: HeaderFields;
  /** `text/plain` if none is stated. */
  readonly type: string;
  readonly charset: string | undefined;
  readonly disposition: 'attachment' | 'inline' | undefined;
  readonly fileName: string | undefined;
  readonly children: readonly MimePart[];
  /** As it is stored. */
  readonly body: Uint8Array;
}

const MAX_DEPTH = 30;
const MAX_PARTS = 10_000;

export function parseMime(bytes: Uint8Array): MimePart {
  return parsePart(bytes, 'text/plain', 0, { parts: 0 });
}

/** The bytes of a part without its transfer encoding. */
export function decodeBody(part: MimePart): Uint8Array {
  return decodeTransfer(part.body, part.headers.raw('content-transfer-encoding'));
}

function parsePart(
  bytes: Uint8Array,
  defaultType: string,
  depth: number,
  count: { parts: number },
): MimePart {
  count.parts++;
  if (count.parts > MAX_PARTS) throw tooLarge('parts', MAX_PARTS);
  const { header, body } = splitHeader(bytes);
  const headers = new HeaderFields(header);
  const stated = parseParameters(headers.raw('content-type') ?? defaultType);
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(stated.value) ? stated.value : defaultType;
  const disposition = parseParameters(headers.raw('content-disposition') ?? '');
  const boundary = stated.params.get('boundary') ?? '';
  const isMultipart = type.startsWith('multipart/') && boundary !== '' && depth < MAX_DEPTH;
  const childType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  return {
    headers,
    type: type.startsWith('multipart/') && !isMultipart ? 'text/plain' : type,
    charset: stated.params.get('charset'),
    disposition:
      disposition.value === 'attachment' || disposition.value === 'inline'
        ? disposition.value
        : undefined,
    fileName: disposition.params.get('filename') ?? stated.params.get('name'),
    children: isMultipart
      ? splitParts(body, boundary).map((part) => parsePart(part, childType, depth + 1, count))
      : [],
    body,
  };
}

/** The header ends at the first empty line; a part may start with one, and has no header then. */
function splitHeader(bytes: Uint8Array): {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
} {
  let line = 0;
  while (line < bytes.length) {
    const end = bytes.indexOf(0x0a, line);
    const to = end < 0 ? bytes.length : end;
    const isEmpty = to === line || (to === line + 1 && bytes[line] === 0x0d);
    if (isEmpty) return { header: bytes.subarray(0, line), body: bytes.subarray(to + 1) };
    line = to + 1;
  }
  return { header: bytes, body: new Uint8Array() };
}

/** The parts between lines of two hyphens and the boundary; the last line may be missing. */
function splitParts(body: Uint8Array, boundary: string): readonly Uint8Array[] {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.length);
  const line = Buffer.from(`--${boundary}`, 'utf8');
  const parts: Uint8Array[] = [];
  let start: number | undefined;
  let at = buffer.indexOf(line);
  while (at >= 0) {
    const after = at + line.length;
    const isLine = at === 0 || buffer[at - 1] === 0x0a;
    const isEnd = buffer[after] === 0x2d && buffer[after + 1] === 0x2d;
    if (isLine && (isEnd || isBlank(buffer[after]))) {
      if (start !== undefined) parts.push(withoutLineEnd(body.subarray(start, at)));
      const lineEnd = buffer.indexOf(0x0a, after);
      start = lineEnd < 0 ? buffer.length : lineEnd + 1;
      if (isEnd) return parts;
    }
    at = buffer.indexOf(line, after);
  }
  if (start !== undefined && start < body.length) parts.push(body.subarray(start));
  return parts;
}

function isBlank(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

/** The line break before a boundary belongs to it. */
function withoutLineEnd(part: Uint8Array): Uint8Array {
  const last = part.length - 1;
  if (part[last] !== 0x0a) return part;
  return part.subarray(0, part[last - 1] === 0x0d ? last - 1 : last);
}
