import { hidingOfField, type Hiding } from '#core/secret-names.ts';
import type { Range } from './find-pieces.ts';
import { findSecretParameters } from './secret-parameters.ts';

/** What to write over a place, so that JSON stays JSON. */
export interface Blot {
  readonly range: Range;
  readonly fill: '*' | '1';
}

const BLANKS = new Set([' ', '\t', '\r', '\n']);
const ADDRESS = /^https?:\\?\//;

/**
 * Where JSON has values whose names speak of secrets. The text need not be JSON as a whole: it may be a stream of events, or
 * break off anywhere.
 */
export function findSecretValues(text: string): readonly Blot[] {
  const blots: Blot[] = [];
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const close = endOfString(text, at);
    if (close === undefined) {
      at = lineEnd(text, at);
      continue;
    }
    const said = text.slice(at + 1, close);
    const value = valueAfter(text, close + 1);
    if (value === undefined) blotAddress(said, at + 1, blots);
    const hiding = value === undefined ? 'nothing' : hidingOfField(nameOf(said));
    const isSecret = value !== undefined && hiding !== 'nothing';
    at = isSecret ? blotValue(text, value, hiding, blots) : close + 1;
  }
  return blots;
}

/** The place of its closing quote. No string goes over the end of a line. */
function endOfString(text: string, open: number): number | undefined {
  for (let at = open + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') return at;
    if (char === '\n') return undefined;
    if (char === '\\') at += 1;
  }
  return undefined;
}

/** Where the value begins, if what ended here is a name. */
function valueAfter(text: string, from: number): number | undefined {
  const colon = skipBlanks(text, from);
  return text[colon] === ':' ? skipBlanks(text, colon + 1) : undefined;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (BLANKS.has(text[at] ?? '')) at += 1;
  return at;
}

function nameOf(said: string): string {
  if (!said.includes('\\')) return said;
  try {
    return String(JSON.parse(`"${said}"`));
  } catch {
    // Not a name that anybody could read.
    return said;
  }
}

function blotAddress(said: string, at: number, blots: Blot[]): void {
  if (!ADDRESS.test(said)) return;
  for (const [from, to] of findSecretParameters(said)) {
    blots.push({ range: [at + from, at + to], fill: '*' });
  }
}

/** Blots every text of a value, and every number where all is to be hidden, however deep; tells where it ends. */
function blotValue(text: string, start: number, hiding: Hiding, blots: Blot[]): number {
  let depth = 0;
  let at = start;
  do {
    const char = text[at];
    if (char === '"') {
      const close = endOfString(text, at) ?? lineEnd(text, at);
      blots.push({ range: [at + 1, close], fill: '*' });
      at = close + 1;
    } else if (char !== undefined && /[-\d]/.test(char)) {
      const to = endOfNumber(text, at);
      if (hiding === 'all') blots.push({ range: [at, to], fill: '1' });
      at = to;
    } else {
      if (char === '{' || char === '[') depth += 1;
      if (char === '}' || char === ']') depth -= 1;
      at += 1;
    }
  } while (depth > 0 && at < text.length);
  return at;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function endOfNumber(text: string, from: number): number {
  let at = from;
  while (/[-+.\deE]/.test(text[at] ?? '')) at += 1;
  return at;
}
