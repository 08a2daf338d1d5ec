import { Buffer, isUtf8 as isValidUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** Bytes to text: the mark at the start, the declared charset, the page's own, then the bytes. */

const META = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i;
const XML = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})["']/i;
const HEADER = /charset\s*=\s*["']?([\w:.-]{2,40})/i;
/** Browsers look for the charset in this many bytes; some pages have it later. */
const PRESCAN_BYTES = 4096;

export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): string {
  const decoder = decoderFor(bytes, contentType);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Three times as fast as the decoder, with the same text.
  const text =
    decoder.encoding === 'utf-8' ? withoutMark(buffer.toString('utf8')) : decoder.decode(bytes);
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function decoderFor(bytes: Uint8Array, contentType: string | undefined): TextDecoder {
  const marked = byMark(bytes);
  if (marked !== undefined) return marked;
  const declared = decoderOf(HEADER.exec(contentType ?? '')?.[1]);
  const start = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, PRESCAN_BYTES),
  ).toString('latin1');
  const own = decoderOf(XML.exec(start)?.[1] ?? META.exec(start)?.[1]);
  // A page that can be read as a <meta> by bytes is not UTF-16, whatever it says.
  const stated =
    declared ?? (own?.encoding.startsWith('utf-16') === true ? decoderOf('utf-8') : own);
  const isUtf8 = isValidUtf8(bytes);
  if (stated === undefined) return isUtf8 ? new TextDecoder() : guess(start);
  // Text beyond ASCII is hardly ever valid UTF-8 by accident, and often declared wrongly.
  if (isUtf8 && stated.encoding === 'windows-1252') return new TextDecoder();
  if (!isUtf8 && stated.encoding === 'utf-8')
    return own?.encoding === 'utf-8' || own === undefined ? stated : own;
  return stated;
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function byMark(bytes: Uint8Array): TextDecoder | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder();
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  // Without a mark: every other byte of markup is zero.
  if (bytes[0] === 0x3c && bytes[1] === 0 && bytes[3] === 0) return new TextDecoder('utf-16le');
  if (bytes[0] === 0 && bytes[1] === 0x3c && bytes[2] === 0) return new TextDecoder('utf-16be');
  return undefined;
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined; // An encoding that does not exist is not stated.
  }
}

/** Encodings that were usual for a language before UTF-8, by the language that the page states. */
const BY_LANGUAGE: Readonly<Record<string, string>> = {
  ja: 'shift_jis',
  ko: 'euc-kr',
  zh: 'gb18030',
  ru: 'windows-1251',
  uk: 'windows-1251',
  bg: 'windows-1251',
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

function guess(start: string): TextDecoder {
  const language = /<html[^>]{0,300}?\blang\s*=\s*["']?([a-z]{2})/i.exec(start)?.[1]?.toLowerCase();
  const label =
    language !== undefined && Object.hasOwn(BY_LANGUAGE, language)
      ? BY_LANGUAGE[language]
      : undefined;
  return new TextDecoder(label ?? 'windows-1252');
}
