/** Settings of a repository as they are written: `section.key` or `section.subsection.key`, the last value of each. */
export type RawSettings = ReadonlyMap<string, string | true>;

const SECTION = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const BLANK = /(?:\s|[#;][^\n]*)*/y;
/** Of a value: a run without meaning, a line that goes on, an escape, a quote. */
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

  const value = (): string | undefined => {
    let read = '';
    // Spaces at the end count only where they are quoted.
    let solid = 0;
    let isQuoted = false;
    for (;;) {
      const plain = take(PLAIN)?.[0];
      if (plain !== undefined) {
        read += plain;
        if (isQuoted) solid = read.length;
        else solid = Math.max(solid, read.trimEnd().length);
        continue;
      }
      const char = text[at];
      if (char === undefined || char === '\n') return isQuoted ? undefined : read.slice(0, solid);
      at++;
      if (char === '"') {
        isQuoted = !isQuoted;
        solid = read.length;
      } else if (char === '\\') {
        const next = text[at++];
        if (next === '\n') continue;
        const escaped = next === undefined ? undefined : ESCAPES[next];
        if (escaped === undefined) return undefined;
        read += escaped;
        solid = read.length;
      } else if (isQuoted) {
        read += char;
        solid = read.length;
      } else {
        at = text.indexOf('\n', at);
        if (at === -1) at = text.length;
        return read.slice(0, solid);
      }
    }
  };

  for (take(BLANK); at < text.length; take(BLANK)) {
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
      take(/[ \t]*/y);
      const read = value();
      if (read === undefined) return undefined;
      settings.set(name, read);
    } else if (at === text.length || /[\n#;]/.test(text[at] ?? '')) settings.set(name, true);
    else return undefined;
  }
  return settings;
}

/** Nothing when it is no such value. */
export function toBoolean(value: string | true): boolean | undefined {
  if (value === true || /^(?:true|yes|on|[1-9]\d*)$/i.test(value)) return true;
  return /^(?:false|no|off|0*)$/i.test(value) ? false : undefined;
}
