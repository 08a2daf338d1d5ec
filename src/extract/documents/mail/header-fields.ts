import { Buffer } from 'node:buffer';
import { decodeCharset } from './charset.ts';
import { decodeBase64, decodeQuotedPrintable } from './transfer-encoding.ts';

/** More fields than any mail has; the rest is not read. */
const MAX_FIELDS = 10_000;
const MAX_VALUE = 100_000;

/** The header of a mail or of a part of it: values by name in lower case. */
export class HeaderFields {
  readonly #values = new Map<string, string>();

  constructor(header: Uint8Array) {
    const text = decodeCharset(header, undefined);
    let fields = 0;
    for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
      const colon = line.indexOf(':');
      if (colon <= 0 || colon > 200) continue;
      fields++;
      if (fields > MAX_FIELDS) break;
      const name = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (!this.#values.has(name)) this.#values.set(name, value.slice(0, MAX_VALUE));
    }
  }

  raw(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** With words of other charsets decoded. */
  text(name: string): string | undefined {
    const raw = this.#values.get(name);
    return raw === undefined ? undefined : decodeWords(raw);
  }
}

const WORD = /=\?([^?\s]{1,60})\?([bq])\?([^?]*)\?=/gi;

/** RFC 2047; a character may be split between two words. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  const joined = text.replace(/(\?=)\s+(?==\?)/g, '$1');
  let result = '';
  let at = 0;
  let pending: { readonly charset: string; readonly parts: Uint8Array[] } | undefined;
  const end = (): void => {
    if (pending !== undefined)
      result += decodeCharset(Buffer.concat(pending.parts), pending.charset);
    pending = undefined;
  };
  for (const match of joined.matchAll(WORD)) {
    const [whole, label = '', encoding = '', body = ''] = match;
    // A language may follow the charset.
    const charset = (label.split('*')[0] ?? '').toLowerCase();
    if (match.index > at) {
      end();
      result += joined.slice(at, match.index);
    }
    at = match.index + whole.length;
    const bytes = Buffer.from(body, 'latin1');
    const decoded =
      encoding.toLowerCase() === 'b' ? decodeBase64(bytes) : decodeQuotedPrintable(bytes, 'word');
    if (pending?.charset === charset) pending.parts.push(decoded);
    else {
      end();
      pending = { charset, parts: [decoded] };
    }
  }
  end();
  return result + joined.slice(at);
}

export interface ParameterizedValue {
  readonly value: string;
  readonly params: ReadonlyMap<string, string>;
}

const PARAM = /;\s*([^\s=;]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g;

/** A value with parameters, such as `text/plain; charset=utf-8`; RFC 2231 parameters are joined. */
export function parseParameters(raw: string): ParameterizedValue {
  const semicolon = raw.indexOf(';');
  const value = (semicolon < 0 ? raw : raw.slice(0, semicolon)).trim().toLowerCase();
  const params = new Map<string, string>();
  const pieces = new Map<
    string,
    Map<number, { readonly text: string; readonly encoded: string }>
  >();
  for (const [, name = '', quoted, plain = ''] of raw.matchAll(PARAM)) {
    const text = quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/g, '$1');
    const extended = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(name.toLowerCase());
    const [, base = '', number, star] = extended ?? [];
    if (number === undefined && star === undefined) {
      if (!params.has(name.toLowerCase())) params.set(name.toLowerCase(), decodeWords(text));
    } else {
      const own = pieces.get(base) ?? new Map();
      own.set(Number(number ?? 0), { text, encoded: star ?? '' });
      pieces.set(base, own);
    }
  }
  for (const [name, parts] of pieces) params.set(name, joinPieces(parts));
  return { value, params };
}

function joinPieces(
  pieces: ReadonlyMap<number, { readonly text: string; readonly encoded: string }>,
): string {
  const ordered = [...pieces.entries()].toSorted(([a], [b]) => a - b);
  let charset: string | undefined;
  const bytes = ordered.map(([, { text, encoded }], index) => {
    if (encoded === '') return Buffer.from(text, 'utf8');
    const marked = index === 0 ? /^([^']*)'[^']*'(.*)$/s.exec(text) : null;
    charset = marked?.[1] ?? charset;
    return Buffer.from(
      (marked?.[2] ?? text).replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
      'latin1',
    );
  });
  return decodeCharset(Buffer.concat(bytes), charset);
}
