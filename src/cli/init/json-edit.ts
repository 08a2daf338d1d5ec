import type { JsonMember, JsonObjectNode } from '#core/json-text/json-text.ts';
import type { Entry, Path } from './client.ts';

// Everything here only adds text, or takes away what was added: whatever else stands in the file is copied as it is.

interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

const DEFAULT_UNIT = '  ';

/** For a file without any value: what is in it, comments, stays above. */
export function wholeDocument(text: string, path: Path, entry: Entry): string {
  const eol = lineBreakOf(text);
  const above = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`;
  const lines = JSON.stringify(nested(path, entry), null, DEFAULT_UNIT).split('\n');
  return `${above}${lines.join(eol)}${eol}`;
}

export function insertMember(
  text: string,
  root: JsonObjectNode,
  object: JsonObjectNode,
  [name, ...inner]: Path,
  entry: Entry,
): string {
  const value = nested(inner, entry);
  const last = object.members.at(-1);
  const from = last?.node.end ?? object.at + 1;
  const close = object.end - 1;
  const marks = marksBetween(text, from, close);
  const hasComma = marks.some(({ is }) => is === 'comma');
  const comma = last && !hasComma ? [insertion(from, ',')] : [];
  const tail = marks.at(-1)?.end ?? from;
  const after = hasComma ? ',' : '';
  const within = text.slice(object.at, close);

  if (last && !within.includes('\n')) {
    const isSpaced = /[,:] /.test(within);
    const written = isSpaced ? `: ${spaced(value)}` : `:${JSON.stringify(value)}`;
    const added = `${isSpaced ? ' ' : ''}${JSON.stringify(name)}${written}${after}`;
    return applied(text, [...comma, insertion(tail, added)]);
  }

  const unit = unitOf(text, root);
  const base = indentOf(text, object.at);
  const indent = (last && ownIndentOf(text, last.keyAt)) ?? base + unit;
  const eol = lineBreakOf(text);
  const property = `${JSON.stringify(name)}: ${indented(value, unit, indent, eol)}`;
  const gap = text.slice(tail, close);
  // Nothing but blanks can be there, and the closing bracket goes to a line of its own.
  const ending = gap.includes('\n') ? [] : [{ at: tail, end: close, text: eol + base }];
  return applied(text, [...comma, insertion(tail, eol + indent + property + after), ...ending]);
}

export function replaceValue(
  text: string,
  root: JsonObjectNode,
  { keyAt, node }: JsonMember,
  entry: Entry,
): string {
  const isInline = !text.slice(root.at, root.end).includes('\n');
  const indent = indentOf(text, keyAt);
  const written = isInline
    ? JSON.stringify(entry)
    : indented(entry, unitOf(text, root), indent, lineBreakOf(text));
  return applied(text, [{ at: node.at, end: node.end, text: written }]);
}

export function removeMember(text: string, object: JsonObjectNode, index: number): string {
  const member = object.members[index];
  if (member === undefined) return text;
  const before = object.members[index - 1]?.node.end ?? object.at + 1;
  const next = object.members[index + 1]?.keyAt ?? object.end - 1;
  const { keyAt, node } = member;
  const [following] = marksBetween(text, node.end, next).filter(({ is }) => is === 'comma');
  const [leading] = marksBetween(text, before, keyAt).filter(({ is }) => is === 'comma');
  const comma = following ?? leading;
  const isAdjoining = following !== undefined && isBlank(text.slice(node.end, following.at));
  const cut = wholeLines(text, keyAt, isAdjoining ? following.end : node.end);
  const edits = [{ ...cut, text: '' }];
  if (comma && !isAdjoining) edits.push({ at: comma.at, end: comma.end, text: '' });
  return applied(text, edits);
}

/** A comma, or a comment, between two values. */
interface Mark {
  readonly is: 'comma' | 'comment';
  readonly at: number;
  readonly end: number;
}

const MARK = /,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

/** What stands between two values beside blanks. The text must be one that was read. */
function marksBetween(text: string, from: number, to: number): Mark[] {
  return [...text.slice(from, to).matchAll(MARK)].map(({ 0: found, index }) => ({
    is: found === ',' ? 'comma' : 'comment',
    at: from + index,
    end: from + index + found.length,
  }));
}

/** The lines, if nothing else stands on them; otherwise only the blanks before. */
function wholeLines(text: string, from: number, to: number): { at: number; end: number } {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = text.indexOf('\n', to);
  const isAlone =
    isBlank(text.slice(lineStart, from)) && lineEnd !== -1 && isBlank(text.slice(to, lineEnd));
  if (isAlone) return { at: lineStart, end: lineEnd + 1 };
  const blanks = /[ \t]*$/.exec(text.slice(lineStart, from))?.[0].length ?? 0;
  return { at: from - blanks, end: to };
}

function insertion(at: number, text: string): Edit {
  return { at, end: at, text };
}

/** Edits that do not overlap, in any order; of those at the same place the earlier one goes first. */
function applied(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(at, edit.at) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

function nested(path: readonly string[], entry: Entry): Entry {
  return path.reduceRight<Entry>((inner, name) => ({ [name]: inner }), entry);
}

function indented(value: Entry, unit: string, indent: string, eol: string): string {
  return JSON.stringify(value, null, unit)
    .split('\n')
    .join(eol + indent);
}

/** On one line, with blanks. JSON has line breaks between values only, as those within texts are escaped. */
function spaced(value: Entry): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
}

/** What the file itself indents by: its outermost names, if they have lines of their own. */
function unitOf(text: string, root: JsonObjectNode): string {
  const [first] = root.members;
  const own = (first && ownIndentOf(text, first.keyAt)) ?? '';
  // More than ten would be cut by JSON.stringify, and is no indentation but a layout.
  return own !== '' && own.length <= 10 ? own : DEFAULT_UNIT;
}

/** The blanks before it, if nothing else is before it on its line. */
function ownIndentOf(text: string, at: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return isBlank(before) ? before : undefined;
}

function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function lineBreakOf(text: string): '\r\n' | '\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function isBlank(text: string): boolean {
  return /^[ \t\r]*$/.test(text);
}
