import { Buffer } from 'node:buffer';

/** Bytes of a body part, by its `Content-Transfer-Encoding`; unknown ones are left as they are. */
export function decodeTransfer(body: Uint8Array, encoding: string | undefined): Uint8Array {
  const name = encoding?.trim().toLowerCase();
  if (name === 'base64') return decodeBase64(body);
  if (name === 'quoted-printable') return decodeQuotedPrintable(body, 'body');
  return body;
}

/** Padding in the middle, from parts that were joined, does not end the data. */
export function decodeBase64(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const clean = text.replace(/[^A-Za-z0-9+/=]/g, '');
  if (!/=[^=]/.test(clean)) return Buffer.from(clean, 'base64');
  return Buffer.concat(clean.split(/=+/).map((part) => Buffer.from(part, 'base64')));
}

const EQUALS = 0x3d;

/** `word`: in a header, where an underscore is a blank. */
export function decodeQuotedPrintable(body: Uint8Array, where: 'body' | 'word'): Uint8Array {
  const out = new Uint8Array(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (byte === 0x5f && where === 'word') out[length++] = 0x20;
    else if (byte !== EQUALS) out[length++] = byte;
    else {
      const high = hexDigit(body[at + 1]);
      const low = hexDigit(body[at + 2]);
      if (high >= 0 && low >= 0) {
        out[length++] = high * 16 + low;
        at += 2;
      } else {
        const next = softBreak(body, at + 1);
        if (next === undefined) out[length++] = EQUALS;
        else at = next - 1;
      }
    }
  }
  return out.subarray(0, length);
}

const MAX_TRAILING_BLANKS = 200;

/** Where the text continues after a line that ends with an equals sign. */
function softBreak(body: Uint8Array, from: number): number | undefined {
  let at = from;
  while (at - from < MAX_TRAILING_BLANKS && (body[at] === 0x20 || body[at] === 0x09)) at++;
  if (at >= body.length) return at;
  if (body[at] === 0x0d) return body[at + 1] === 0x0a ? at + 2 : at + 1;
  return body[at] === 0x0a ? at + 1 : undefined;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
