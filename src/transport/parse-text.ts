// Far deeper than anything people send, and shallow enough for whoever walks it.
const MAX_DEPTH = 512;
// A file, a long text or an image is one member; this many take a tenth of a second to build.
const MAX_MEMBERS = 200_000;
/** Smaller texts cost little, whatever they hold. */
const LARGE_CHARS = 65_536;

/** What may be JSON, and would cost too much to find out. */
export class TooMuchJson extends SyntaxError {}

/**
 * JSON from a stranger. A deep nest, or millions of members, can cost seconds and gigabytes to build while everybody else
 * waits, so a large text is looked over first.
 */
export function parseText(text: string): unknown {
  if (text.length > LARGE_CHARS && isTooMuch(text)) {
    throw new TooMuchJson('It is nested too deeply, or has too many members.');
  }
  return JSON.parse(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

function isTooMuch(text: string): boolean {
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        if (depth > MAX_DEPTH) return true;
        break;
      case COMMA:
        commas += 1;
        if (commas > MAX_MEMBERS) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
    }
  }
  return false;
}

/** Where the string ends that begins here; the end of the text when it never does. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
