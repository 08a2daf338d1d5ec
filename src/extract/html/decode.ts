import { Buffer, isUtf8 } from 'node:buffer';
import { guessEncoding, markedEncoding } from '../encoding/guess-encoding.ts';
import { charsetOf, encodingName, prescanEncoding } from '../encoding/prescan.ts';

/** Bytes to text: the mark at the start, the declared charset, the page's own, then the bytes. */
export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): string {
  const encoding = settle(bytes, contentType);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Three times as fast as the decoder, with the same text.
  const text =
    encoding === 'utf-8'
      ? withoutMark(buffer.toString('utf8'))
      : new TextDecoder(encoding).decode(bytes);
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** What an HTML parser settles on: mark, content type, declaration in the page, windows-1252. */
export function htmlEncoding(bytes: Uint8Array, contentType: string | undefined): string {
  return declared(bytes, contentType) ?? 'windows-1252';
}

function declared(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  return (
    markedEncoding(bytes) ?? encodingName(charsetOf(contentType ?? '')) ?? prescanEncoding(bytes)
  );
}

/** The declared encoding, unless the bytes show that the declaration is wrong. */
function settle(bytes: Uint8Array, contentType: string | undefined): string {
  const marked = markedEncoding(bytes) ?? withoutMarkWide(bytes);
  if (marked !== undefined) return marked;
  const stated = declared(bytes, contentType);
  const isValidUtf8 = isUtf8(bytes);
  // Text beyond ASCII is hardly ever valid UTF-8 by accident, and often declared wrongly.
  if (isValidUtf8 && (stated === undefined || stated === 'windows-1252')) return 'utf-8';
  if (stated !== undefined && (isValidUtf8 || stated !== 'utf-8')) return stated;
  // A header of the server may be wrong where the page is right.
  const own = prescanEncoding(bytes);
  if (stated === 'utf-8' && own !== undefined && own !== 'utf-8') return own;
  const isTooLittle = countHigh(bytes) < MIN_GUESSED_BYTES;
  return byLanguage(bytes) ?? (isTooLittle ? 'windows-1252' : guessEncoding(bytes));
}

/** Fewer bytes beyond ASCII do not show another encoding than the usual one. */
const MIN_GUESSED_BYTES = 6;

function countHigh(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) {
    if (byte >= 0x80) count += 1;
    if (count === MIN_GUESSED_BYTES) break;
  }
  return count;
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Without a mark: every other byte of markup is zero. */
function withoutMarkWide(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x3c && bytes[1] === 0 && bytes[3] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c && bytes[2] === 0) return 'utf-16be';
  return undefined;
}

/** Encodings that were usual for a language before UTF-8, by the language that the page states. */
const BY_LANGUAGE: Readonly<Record<string, string>> = {
  ko: 'euc-kr',
  el: 'windows-1253',
  tr: 'windows-1254',
  he: 'windows-1255',
  ar: 'windows-1256',
  fa: 'windows-1256',
  pl: 'windows-1250',
  cs: 'windows-1250',
  hu: 'windows-1250',
  th: 'windows-874',
};

function byLanguage(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4096));
  const language = /<html[^>]{0,300}?\blang\s*=\s*["']?([a-z]{2})/i
    .exec(start.toString('latin1'))?.[1]
    ?.toLowerCase();
  return language !== undefined && Object.hasOwn(BY_LANGUAGE, language)
    ? BY_LANGUAGE[language]
    : undefined;
}
