import { CallError } from '#core/errors/call-error.ts';

const OTHER = /[^A-Za-z0-9+/]/;
const GROUP_CHARS = 4;

/** Where base64 is wrong, and how. Positions start at 1. */
interface Fault {
  readonly at: number;
  readonly problem: string;
}

/** Decodes base64 strictly: `what` is what the text stands for, in an error. */
export function decodeStrictBase64(text: string, what: string, field: string): Buffer {
  const fault = findFault(text);
  if (fault === undefined) return Buffer.from(text, 'base64');
  throw new CallError(
    'validation',
    `The base64 of ${what} is invalid at position ${fault.at}: ${fault.problem}.`,
    { field, fix: 'Encode the bytes as base64 (RFC 4648) without line breaks.' },
  );
}

function findFault(text: string): Fault | undefined {
  const padding = paddingOf(text);
  const chars = text.length - padding;
  const at = text.search(OTHER);
  if (at !== -1 && at < chars) {
    // The padding begins there, or something that is not base64 at all.
    const isPadding = text[at] === '=';
    return { at: at + 1, problem: isPadding ? 'padding in the middle' : 'not a base64 character' };
  }
  if (text.length % GROUP_CHARS !== 0) {
    return { at: text.length + 1, problem: 'it ends within a group of four characters' };
  }
  return hasZeroRest(text, padding)
    ? undefined
    : { at: chars, problem: 'its last character has bits beyond the last byte' };
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
