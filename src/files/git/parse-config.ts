/** Settings of a repository as they are written: `section.key` or `section.subsection.key`, the last value of each. */
export type RawSettings = ReadonlyMap<string, string | true>;

const SECTION = /\[([A-Za-z0-9.-]{1,1000})(?:[ \t]+"((?:[^"\\\n]|\\[^\n]){0,1000})")?[ \t]*\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const SPACE = /[ \t\r\n]+/y;
const INDENT = /[ \t]*/y;
/** Of a value: a run without a quote, an escape, a comment or an end. */
const PLAIN = /[^\\"\n#;]+/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  b: '\b',
  '"': '"',
  '\\': '\\',
};

/** Reads what git-config(1) describes. Files that others are included from are not opened. Nothing when it is not written so. */
export function parseConfig(given: string): RawSettings | undefined {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const settings = new Map<string, string | true>();
  let at = 0;
  let section: string | undefined;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found;
  };

  const toLineEnd = () => {
    const end = text.indexOf('\n', at);
    at = end === -1 ? text.length : end;
  };
  const blank = () => {
    while (take(SPACE) !== undefined || text[at] === '#' || text[at] === ';') {
      if (text[at] === '#' || text[at] === ';') toLineEnd();
    }
  };

  const value = (): string | undefined => {
    const pieces: string[] = [];
    let length = 0;
    // Spaces at the end count only where they are quoted.
    let solid = 0;
    let isQuoted = false;
    const add = (piece: string, solidChars: number) => {
      if (solidChars > 0) solid = length + solidChars;
      pieces.push(piece);
      length += piece.length;
    };
    for (;;) {
      const plain = take(PLAIN)?.[0];
      if (plain !== undefined) {
        add(plain, isQuoted ? plain.length : plain.trimEnd().length);
        continue;
      }
      const char = text[at];
      if (char === undefined || char === '\n') {
        return isQuoted ? undefined : pieces.join('').slice(0, solid);
      }
      at++;
      if (char === '"') {
        isQuoted = !isQuoted;
        solid = length;
      } else if (char === '\\') {
        const next = text[at++];
        if (next === '\n') continue;
        const escaped = next === undefined ? undefined : ESCAPES[next];
        if (escaped === undefined) return undefined;
        add(escaped, 1);
      } else if (isQuoted) add(char, 1);
      else {
        toLineEnd();
        return pieces.join('').slice(0, solid);
      }
    }
  };

  for (blank(); at < text.length; blank()) {
    const header = take(SECTION);
    if (header !== undefined) {
      const [, name = '', sub] = header;
      section =
        name.toLowerCase() + (sub === undefined ? '' : `.${sub.replaceAll(/\\(.)/gs, '$1')}`);
      continue;
    }
    const key = take(KEY)?.[1];
    if (key === undefined || section === undefined) return undefined;
    const name = `${section}.${key.toLowerCase()}`;
    if (text[at] === '=') {
      at++;
      take(INDENT);
      const read = value();
      if (read === undefined) return undefined;
      settings.set(name, read);
    } else if (at === text.length || text[at] === '\n') settings.set(name, true);
    else return undefined;
  }
  return settings;
}

/** Nothing when it is no such value. */
export function toBoolean(value: string | true): boolean | undefined {
  if (value === true || /^(?:true|yes|on|[1-9]\d*)$/i.test(value)) return true;
  return /^(?:false|no|off|0*)$/i.test(value) ? false : undefined;
}
