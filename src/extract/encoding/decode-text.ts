import { isUtf8 } from 'node:buffer';
import { guessEncoding, markedEncoding, wideEncoding } from './guess-encoding.ts';
import { charsetOf, encodingName } from './prescan.ts';

export interface TextAndEncoding {
  readonly text: string;
  /** The encoding, if neither a mark, a declaration nor the bytes themselves say it. */
  readonly guessed?: string;
}

/** Text of any encoding: by its mark, UTF-8, the declared charset, then the best guess. */
export function decodeUnknownText(
  bytes: Uint8Array,
  contentType: string | undefined,
): TextAndEncoding {
  const wide = fourByteEncoding(bytes);
  if (wide !== undefined) return { text: decodeFourBytes(bytes, wide) };
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return { text: decode(bytes, marked) };
  const declared = encodingName(charsetOf(contentType ?? ''));
  if (declared !== undefined && declared !== 'utf-8') return { text: decode(bytes, declared) };
  const twoByte = wideEncoding(bytes);
  if (twoByte !== undefined) return { text: decode(bytes, twoByte), guessed: twoByte };
  const guessed = isUtf8(bytes) && !bytes.includes(0x1b) ? 'utf-8' : guessEncoding(bytes);
  const text = decode(bytes, guessed);
  return guessed === 'utf-8' ? { text } : { text, guessed };
}

function decode(bytes: Uint8Array, encoding: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Faster than the decoder, with the same text.
  const text =
    encoding === 'utf-8' ? buffer.toString('utf8') : new TextDecoder(encoding).decode(bytes);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

type FourBytes = 'utf-32le' | 'utf-32be';

/** UTF-32 is not in the Encoding Standard; some programs still write it, with its mark. */
function fourByteEncoding(bytes: Uint8Array): FourBytes | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return 'utf-32le';
  return a === 0 && b === 0 && c === 0xfe && d === 0xff ? 'utf-32be' : undefined;
}

function decodeFourBytes(bytes: Uint8Array, encoding: FourBytes): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === 'utf-32le');
    parts.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
  }
  return parts.join('');
}
