/** The HTML standard's prescan of a byte stream for the encoding that a page declares itself. */

/** Browsers look at 1,024 bytes first, and start again when they parse a declaration after them. */
const PRESCAN_BYTES = 16 * 1024;

interface Attribute {
  readonly name: string;
  readonly value: string;
}

interface Cursor {
  readonly text: string;
  at: number;
}

const SPACE = /[\t\n\f\r ]/;
const SPACE_OR_SLASH = /[\t\n\f\r /]/;

/** The encoding that a page declares in its markup, by its standard name. */
export function prescanEncoding(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, PRESCAN_BYTES);
  const text = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  const cursor: Cursor = { text, at: 0 };
  while (cursor.at < text.length) {
    if (text.startsWith('<!--', cursor.at)) {
      const end = text.indexOf('-->', cursor.at + 2);
      if (end < 0) return undefined;
      cursor.at = end + 3;
      continue;
    }
    if (/^<meta[\t\n\f\r /]/i.test(text.slice(cursor.at, cursor.at + 6))) {
      cursor.at += 5;
      const found = metaEncoding(cursor);
      if (found !== undefined) return found;
    } else if (/^<\/?[a-z]/i.test(text.slice(cursor.at, cursor.at + 3))) skipTag(cursor);
    else if (/^<[!/?]/.test(text.slice(cursor.at, cursor.at + 2))) {
      const end = text.indexOf('>', cursor.at);
      if (end < 0) return xmlEncoding(text);
      cursor.at = end;
    }
    cursor.at += 1;
  }
  return xmlEncoding(text);
}

/** An XML declaration at the very start, which browsers use when nothing else is declared. */
function xmlEncoding(text: string): string | undefined {
  if (!text.startsWith('<?xml')) return undefined;
  const end = text.indexOf('>');
  const declaration = text.slice(0, end < 0 ? text.length : end);
  const found = /\bencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(declaration);
  return declaredEncoding(found?.[1] ?? found?.[2]);
}

function skipTag(cursor: Cursor): void {
  const { text } = cursor;
  while (cursor.at < text.length && !/[\t\n\f\r >]/.test(text.charAt(cursor.at))) cursor.at += 1;
  while (readAttribute(cursor) !== undefined);
}

function metaEncoding(cursor: Cursor): string | undefined {
  const seen = new Set<string>();
  let isContentType = false;
  let charset: string | undefined;
  let needsContentType: boolean | undefined;
  for (;;) {
    const attribute = readAttribute(cursor);
    if (attribute === undefined) break;
    const { name, value } = attribute;
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === 'http-equiv') isContentType ||= value === 'content-type';
    else if (name === 'content') {
      const declared = declaredEncoding(charsetOf(value));
      if (declared !== undefined && charset === undefined) {
        charset = declared;
        needsContentType = true;
      }
    } else if (name === 'charset') {
      charset = declaredEncoding(value);
      needsContentType = false;
    }
  }
  if (needsContentType === undefined || (needsContentType && !isContentType)) return undefined;
  return charset;
}

/** The next attribute of a tag, in lower case; nothing at its end. */
function readAttribute(cursor: Cursor): Attribute | undefined {
  const { text } = cursor;
  const charAt = (): string => text.charAt(cursor.at);
  const skip = (kind: RegExp): void => {
    while (cursor.at < text.length && kind.test(charAt())) cursor.at += 1;
  };
  skip(SPACE_OR_SLASH);
  if (cursor.at >= text.length || charAt() === '>') return undefined;
  let name = '';
  while (cursor.at < text.length && !(charAt() === '=' && name !== '')) {
    if (SPACE.test(charAt())) break;
    if (charAt() === '/' || charAt() === '>') return { name: name.toLowerCase(), value: '' };
    name += charAt();
    cursor.at += 1;
  }
  skip(SPACE);
  if (charAt() !== '=') return { name: name.toLowerCase(), value: '' };
  cursor.at += 1;
  skip(SPACE);
  const quote = charAt();
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, cursor.at + 1);
    const stop = end < 0 ? text.length : end;
    const value = text.slice(cursor.at + 1, stop).toLowerCase();
    cursor.at = stop + 1;
    // The end of the bytes inside a value: the declaration is not complete.
    return end < 0 ? undefined : { name: name.toLowerCase(), value };
  }
  let value = '';
  while (cursor.at < text.length && !/[\t\n\f\r >]/.test(charAt())) {
    value += charAt();
    cursor.at += 1;
  }
  if (cursor.at >= text.length) return undefined;
  return { name: name.toLowerCase(), value: value.toLowerCase() };
}

/** The charset in the value of a content type. */
export function charsetOf(contentType: string): string | undefined {
  const found =
    /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i.exec(
      contentType,
    );
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** The standard name of a declared encoding. Markup that can be read by bytes is not UTF-16. */
function declaredEncoding(label: string | undefined): string | undefined {
  const name = encodingName(label);
  if (name === undefined) return undefined;
  if (name.startsWith('utf-16')) return 'utf-8';
  return name;
}

/** The name that a label stands for, or nothing if there is no such encoding. */
export function encodingName(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  if (label.trim().toLowerCase() === 'x-user-defined') return 'windows-1252';
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return undefined; // An encoding that does not exist is not declared.
  }
}
