import { TextDecoder } from 'node:util';

/**
 * The charset that a page states in its first bytes, found as browsers find it: in the `<meta>` of
 * real markup, not in comments or in the values of attributes.
 */
export function prescan(start: string): TextDecoder | undefined {
  let at = start.indexOf('<');
  while (at !== -1) {
    let next: number;
    if (start.startsWith('<!--', at)) next = start.indexOf('-->', at + 2);
    else if (TAG.test(start.slice(at, at + 3))) {
      const tag = readTag(start, at + 1);
      if (tag === undefined) return undefined;
      const found = tag.name === 'meta' ? decoderOfMeta(tag.attributes) : undefined;
      if (found !== undefined) return found;
      next = tag.end;
    } else if (/[!/?]/.test(start[at + 1] ?? '')) next = start.indexOf('>', at);
    else next = at + 1;
    if (next === -1) return undefined;
    at = start.indexOf('<', next);
  }
  return undefined;
}

/** A decoder for a label of the Encoding Standard; `undefined` for any other. */
export function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label.trim());
  } catch {
    return undefined; // An encoding that does not exist is not stated.
  }
}

const TAG = /^<\/?[a-z]/i;
const SPACE_OR_SLASH = /[\t\n\f\r /]*/y;
const NAME = /[^\t\n\f\r />=][^\t\n\f\r />=]*/y;
const EQUALS = /[\t\n\f\r ]*=[\t\n\f\r ]*/y;
const VALUE = /"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)?/y;

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

/** A tag with its attributes, the first of each name; `undefined` if the bytes end inside of it. */
function readTag(text: string, from: number): Tag | undefined {
  const attributes = new Map<string, string>();
  let at = from;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  // A slash ends the name of a start tag, and begins that of an end tag.
  const name = /\/?[^\t\n\f\r />]*/y;
  const [tagName = ''] = take(name) ?? [];
  for (;;) {
    take(SPACE_OR_SLASH);
    if (at >= text.length) return undefined;
    if (text[at] === '>') return { name: tagName.toLowerCase(), attributes, end: at + 1 };
    const [attribute = ''] = take(NAME) ?? [];
    if (attribute === '') at += 1; // A lone `=`.
    let value = '';
    if (take(EQUALS) !== null) {
      const [, double, single, bare = ''] = take(VALUE) ?? [];
      value = double ?? single ?? bare;
      // A quotation mark that is never closed.
      if (value === '' && /["']/.test(text[at] ?? '')) return undefined;
    }
    if (at >= text.length) return undefined;
    const key = attribute.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, value);
  }
}

const IN_CONTENT = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))/i;

function decoderOfMeta(attributes: ReadonlyMap<string, string>): TextDecoder | undefined {
  const stated = decoderOf(attributes.get('charset'));
  if (stated !== undefined || attributes.has('charset')) return readable(stated);
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return undefined;
  const [, double, single, bare] = IN_CONTENT.exec(attributes.get('content') ?? '') ?? [];
  return readable(decoderOf(double ?? single ?? bare));
}

/** A page whose bytes can be read as a <meta> is not UTF-16, whatever it says. */
export function readable(decoder: TextDecoder | undefined): TextDecoder | undefined {
  return decoder?.encoding.startsWith('utf-16') === true ? new TextDecoder() : decoder;
}
