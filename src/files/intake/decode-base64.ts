import { CallError } from '#core/errors/call-error.ts';
import type { Pause } from './in-slices.ts';

const OTHER = /[^A-Za-z0-9+/]/;
const GROUP_CHARS = 4;
const GROUP_BYTES = 3;
/** Characters that are checked and decoded at once, in about two milliseconds; whole groups. */
const SLICE_CHARS = 1024 * 1024;

/** Where base64 is wrong, and how. Positions start at 1. */
interface Fault {
  readonly at: number;
  readonly problem: string;
}

/**
 * Decodes base64 strictly, with pauses for other work: `what` is what the text stands for, in an
 * error.
 */
export async function decodeStrictBase64(
  text: string,
  what: string,
  field: string,
  pause: Pause,
): Promise<Buffer> {
  const padding = paddingOf(text);
  const bytes = Buffer.allocUnsafeSlow(sizeOf(text, padding));
  let length = 0;
  for (let at = 0; at < text.length; at += SLICE_CHARS) {
    if (at > 0) await pause();
    const slice = text.slice(at, at + SLICE_CHARS);
    const written = bytes.write(slice, length, 'base64');
    length += written;
    const chars = Math.min(slice.length, text.length - padding - at);
    if (isStrict(slice, chars, written)) continue;
    const other = slice.search(OTHER);
    if (other !== -1 && at + other < text.length - padding) {
      throw invalid(otherCharacter(text, at + other), what, field);
    }
  }
  const fault = faultAtEnd(text, padding);
  if (fault) throw invalid(fault, what, field);
  return bytes.subarray(0, length);
}

/**
 * Whether a slice has nothing but base64 before its padding. The decoder leaves out other characters,
 * so that it writes fewer bytes, except for those of the URL alphabet. It takes characters beyond
 * ASCII for others. This is several times faster than looking at each character.
 */
function isStrict(slice: string, chars: number, written: number): boolean {
  return (
    slice.length % GROUP_CHARS === 0 &&
    written === Math.floor((chars * GROUP_BYTES) / GROUP_CHARS) &&
    !slice.includes('-') &&
    !slice.includes('_') &&
    Buffer.byteLength(slice) === slice.length
  );
}

function sizeOf(text: string, padding: number): number {
  return Math.ceil(((text.length - padding) * GROUP_BYTES) / GROUP_CHARS);
}

function invalid({ at, problem }: Fault, what: string, field: string): CallError {
  const message = `The base64 of ${what} is invalid at position ${at}: ${problem}.`;
  return new CallError('validation', message, {
    field,
    fix: 'Encode the bytes as base64 (RFC 4648) without line breaks.',
  });
}

/** The padding begins there, or something that is not base64 at all. */
function otherCharacter(text: string, at: number): Fault {
  const isPadding = text[at] === '=';
  return { at: at + 1, problem: isPadding ? 'padding in the middle' : 'not a base64 character' };
}

function faultAtEnd(text: string, padding: number): Fault | undefined {
  if (text.length % GROUP_CHARS !== 0) {
    return { at: text.length + 1, problem: 'it ends within a group of four characters' };
  }
  return hasZeroRest(text, padding)
    ? undefined
    : {
        at: text.length - padding,
        problem: 'its last character has bits beyond the last byte',
      };
}

function paddingOf(text: string): number {
  if (text.endsWith('==')) return 2;
  return text.endsWith('=') ? 1 : 0;
}

/** Whether the bits after the last byte are zero, so that one content has one text. */
function hasZeroRest(text: string, padding: number): boolean {
  if (padding === 0) return true;
  const last = text.slice(-GROUP_CHARS);
  return Buffer.from(last, 'base64').toString('base64') === last;
}
