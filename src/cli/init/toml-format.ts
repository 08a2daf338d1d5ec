import { parse, TomlError, type TomlTable } from 'smol-toml';
import type { ServerEntry, KeyPath } from './client-definition.ts';
import type { SettingsFormat } from './edit-settings.ts';
import { SettingsSyntaxError } from './settings-syntax-error.ts';

// smol-toml parses and validates. The text is changed by lines, because serializing the document
// would lose its comments.

export const tomlFormat: SettingsFormat = {
  at: (text, path) => valueAt(read(text), path),
  set(text, path, entry) {
    read(text);
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    // Only entries of clients, which are tables, are written as TOML.
    const table = tableLines(path, entry as ServerEntry).join(eol) + eol;
    const lines = ownLines(text, path);
    if (lines) return text.slice(0, lines.at) + table + text.slice(lines.end);
    const isOpen = text !== '' && !text.endsWith('\n');
    const isApart = text.trim() === '' || /\n[ \t\r]*\n$/.test(text);
    const result = `${text}${isOpen ? eol : ''}${isApart ? '' : eol}${table}`;
    if (!isToml(result)) refuseInline(text, path);
    return result;
  },
  remove(text, path) {
    read(text);
    const lines = ownLines(text, path);
    if (!lines) return text;
    // Removes the blank line that was inserted before the table.
    const before = text.slice(0, lines.at).replace(/(\n|^)[ \t\r]*\n$/, '$1');
    return before + text.slice(lines.end);
  },
  rest: (text, path) => without(read(text), path),
};

function read(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    // The first line of the message has the cause; the others quote the text, which may have a key.
    const [reason = ''] = thrown.message.split('\n');
    const cause = reason.replace(/^Invalid TOML document: /, '').trim();
    throw new SettingsSyntaxError(`This is not TOML: ${cause}`, thrown);
  }
}

function isToml(text: string): boolean {
  try {
    read(text);
    return true;
  } catch (thrown) {
    if (thrown instanceof SettingsSyntaxError) return false;
    throw thrown;
  }
}

function tableLines(path: KeyPath, entry: ServerEntry): string[] {
  const members = Object.entries(entry).map(([key, value]) => `${keyOf(key)} = ${written(value)}`);
  return [`[${path.map(keyOf).join('.')}]`, ...members];
}

function keyOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Strings, lists and tables. A JSON string is a valid TOML string. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${keyOf(key)} = ${written(inner)}`);
  return `{ ${members.join(', ')} }`;
}

/**
 * A table header cannot extend an inline table. Checked only after adding has failed, because a
 * string may look like one.
 */
function refuseInline(text: string, [name, ...inner]: KeyPath): void {
  const top = text.split(/^[ \t]*\[/m, 1)[0] ?? '';
  const key = `^[ \\t]*(?:${name}|"${name}"|'${name}')[ \\t]*=[ \\t]*`;
  const found = new RegExp(`${key}(?=\\{)`, 'm').exec(top);
  if (!found) return;
  const before = top.slice(0, found.index + found[0].length);
  const [last = '', ...lines] = before.split('\n').toReversed();
  const header = [name, ...inner.slice(0, -1), 'name'].map(keyOf).join('.');
  throw new SettingsSyntaxError(
    `${name} is an inline table; write each of its members as [${header}]`,
    {
      line: lines.length + 1,
      column: last.length + 1,
    },
  );
}

/**
 * From the header of the table at a path to the next header, without the blank lines and comments
 * above it. A line of a multi-line string that looks like a header is misread; the check of the
 * result then rejects the change.
 */
function ownLines(text: string, path: KeyPath): { at: number; end: number } | undefined {
  const name = path.map(keyPattern).join('[ \\t]*\\.[ \\t]*');
  const header = new RegExp(`^[ \\t]*\\[[ \\t]*${name}[ \\t]*(?:\\.[^\\]\\n]*)?\\]`, 'm').exec(
    text,
  );
  if (!header) return undefined;
  const at = header.index;
  const ours = new RegExp(`^[ \\t]*\\[[ \\t]*${name}[ \\t]*(?:\\.[^\\]\\n]*)?\\]`);
  let end = at;
  let next = at;
  while (next < text.length) {
    const lineEnd = text.indexOf('\n', next) + 1 || text.length;
    const line = text.slice(next, lineEnd);
    if (next > at && /^[ \t]*\[/.test(line) && !ours.test(line)) break;
    if (!/^[ \t]*(?:#|\r?\n?$)/.test(line)) end = lineEnd;
    next = lineEnd;
  }
  return { at, end };
}

/** A key in any of its spellings. */
function keyPattern(key: string): string {
  const plain = key.replaceAll(/[^\w-]/g, String.raw`\$&`);
  const quoted = JSON.stringify(key).replaceAll(/[^\w-]/g, String.raw`\$&`);
  return `(?:${plain}|${quoted}|'${plain}')`;
}

function valueAt(table: unknown, path: readonly string[]): unknown {
  let value = table;
  for (const [index, name] of path.entries()) {
    if (!isTable(value)) {
      throw new SettingsSyntaxError(`"${path[index - 1]}" should be a table`);
    }
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * Omits a table that has nothing else, because a table without a header exists only through its
 * content.
 */
function without(table: TomlTable, path: readonly string[]): unknown {
  return inner(table, path) ?? {};
}

function inner(table: unknown, [name, ...others]: readonly string[]): unknown {
  if (!isTable(table) || name === undefined) return table;
  const entries = Object.entries(table).flatMap(([key, value]) => {
    const left = key !== name ? value : others.length > 0 ? inner(value, others) : undefined;
    return left === undefined ? [] : [[key, left] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
