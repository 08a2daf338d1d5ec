import { createPositions, faultText } from '#core/json-text/json-fault.ts';
import {
  readJsonText,
  jsonValueOf,
  type JsonDialect,
  type JsonMember,
  type JsonNode,
  type JsonObjectNode,
} from '#core/json-text/json-text.ts';
import type { KeyPath } from './client-definition.ts';
import type { SettingsFormat } from './edit-settings.ts';
import { SettingsSyntaxError } from './settings-syntax-error.ts';

const MAX_DEPTH = 400;

export function jsonFormat(dialect: JsonDialect): SettingsFormat {
  /** Undefined where the text has no value. */
  const read = (text: string): JsonObjectNode | undefined => {
    const found = readJsonText(text, { dialect, maxDepth: MAX_DEPTH, repeatedNames: 'kept' });
    if (found.is === 'faulty') {
      if (found.fault.code === 'empty') return undefined;
      throw new SettingsSyntaxError(faultText(found.fault), found.fault);
    }
    if (found.root.type === 'object') return found.root;
    throw new SettingsSyntaxError('The file should hold an object, in { and }', {
      line: 1,
      column: 1,
    });
  };
  return {
    at(text, path) {
      const member = findMember(text, read(text), path);
      return member && jsonValueOf(member.node);
    },
    set(text, path, entry) {
      const root = read(text);
      if (root === undefined) return wholeDocument(text, path, entry);
      const there = findMember(text, root, path);
      if (there) return replaceValue(text, root, there, entry);
      const [object, missing] = deepestObject(text, root, path);
      return insertMember(text, root, object, missing, entry);
    },
    remove(text, path) {
      const [name = '', ...reversed] = path.toReversed();
      const root = read(text);
      const parent = objectAt(text, root, reversed.toReversed());
      const index = parent?.members.findIndex(({ key }) => key === name) ?? -1;
      return parent === undefined || index === -1 ? text : removeMember(text, parent, index);
    },
    rest: (text, path) => {
      const root = read(text);
      return root && JSON.stringify(restOf(text, root, path));
    },
  };
}

/**
 * Throws where the path leads through a value that is not an object, or through a duplicate key.
 */
function findMember(text: string, root: JsonObjectNode | undefined, path: KeyPath) {
  const [name = '', ...reversed] = path.toReversed();
  const parent = objectAt(text, root, reversed.toReversed());
  return parent && memberOf(text, parent, name);
}

function objectAt(
  text: string,
  root: JsonObjectNode | undefined,
  path: readonly string[],
): JsonObjectNode | undefined {
  let object = root;
  for (const name of path) {
    const node = object && memberOf(text, object, name)?.node;
    if (node && node.type !== 'object') {
      throw new SettingsSyntaxError(
        `"${name}" should be an object, in { and }`,
        createPositions(text)(node.at),
      );
    }
    object = node;
  }
  return object;
}

function memberOf(text: string, object: JsonObjectNode, name: string): JsonMember | undefined {
  const [first, second] = object.members.filter(({ key }) => key === name);
  if (second === undefined) return first;
  throw new SettingsSyntaxError(
    `"${name}" stands here for the second time`,
    createPositions(text)(second.keyAt),
  );
}

/** The innermost existing object on the path, and the keys that are missing in it. */
function deepestObject(
  text: string,
  root: JsonObjectNode,
  path: KeyPath,
): [JsonObjectNode, KeyPath] {
  const [name, ...others] = path;
  const [next, ...more] = others;
  const inner = next !== undefined && objectAt(text, root, [name]);
  return inner ? deepestObject(text, inner, [next, ...more]) : [root, path];
}

/**
 * The content in source order and spelling, so that no change goes unnoticed: rounded numbers and
 * duplicate keys included.
 */
function restOf(text: string, node: JsonNode, path: readonly string[]): unknown {
  const [name, ...others] = path;
  switch (node.type) {
    case 'scalar':
      return text.slice(node.at, node.end);
    case 'array':
      return node.items.map((item) => restOf(text, item, []));
    case 'object':
      return {
        members: node.members
          .filter(({ key }) => key !== name || others.length > 0)
          .map((member) => [
            member.key,
            restOf(text, member.node, member.key === name ? others : []),
          ]),
      };
  }
}

// The edits below insert text, or remove what was inserted; everything else in the file is copied
// unchanged. A library that re-serializes would move comments.

interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

const DEFAULT_UNIT = '  ';

/** The text for a file without a value. Its comments stay above. */
function wholeDocument(text: string, path: KeyPath, entry: unknown): string {
  const eol = lineBreakOf(text);
  const above = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`;
  const lines = JSON.stringify(nestEntry(path, entry), null, DEFAULT_UNIT).split('\n');
  return `${above}${lines.join(eol)}${eol}`;
}

function insertMember(
  text: string,
  root: JsonObjectNode,
  object: JsonObjectNode,
  [name, ...inner]: KeyPath,
  entry: unknown,
): string {
  const value = nestEntry(inner, entry);
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
    const written = isSpaced ? `: ${spacedJson(value)}` : `:${JSON.stringify(value)}`;
    const added = `${isSpaced ? ' ' : ''}${JSON.stringify(name)}${written}${after}`;
    return applyEdits(text, [...comma, insertion(tail, added)]);
  }

  const unit = unitOf(text, root);
  const base = indentOf(text, object.at);
  const indent = (last && ownIndentOf(text, last.keyAt)) ?? base + unit;
  const eol = lineBreakOf(text);
  const property = `${JSON.stringify(name)}: ${indentJson(value, unit, indent, eol)}`;
  const gap = text.slice(tail, close);
  // Only blanks can be here; the closing bracket is on a new line.
  const ending = gap.includes('\n') ? [] : [{ at: tail, end: close, text: eol + base }];
  return applyEdits(text, [...comma, insertion(tail, eol + indent + property + after), ...ending]);
}

function replaceValue(
  text: string,
  root: JsonObjectNode,
  { keyAt, node }: JsonMember,
  entry: unknown,
): string {
  const isInline = !text.slice(root.at, root.end).includes('\n');
  const indent = indentOf(text, keyAt);
  const written = isInline
    ? JSON.stringify(entry)
    : indentJson(entry, unitOf(text, root), indent, lineBreakOf(text));
  return applyEdits(text, [{ at: node.at, end: node.end, text: written }]);
}

function removeMember(text: string, object: JsonObjectNode, index: number): string {
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
  return applyEdits(text, edits);
}

/** A comma or a comment between two values. */
interface Mark {
  readonly is: 'comma' | 'comment';
  readonly at: number;
  readonly end: number;
}

const MARK = /,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

/** The commas and comments between two values of a text that was parsed. */
function marksBetween(text: string, from: number, to: number): Mark[] {
  return [...text.slice(from, to).matchAll(MARK)].map(({ 0: found, index }) => ({
    is: found === ',' ? 'comma' : 'comment',
    at: from + index,
    end: from + index + found.length,
  }));
}

/** The whole lines, if nothing else is on them; otherwise including the blanks before. */
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

/** Applies edits that do not overlap. Of edits at the same place, the earlier one goes first. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(at, edit.at) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

function nestEntry(path: readonly string[], entry: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), entry);
}

function indentJson(value: unknown, unit: string, indent: string, eol: string): string {
  return JSON.stringify(value, null, unit)
    .split('\n')
    .join(eol + indent);
}

/**
 * On one line, with spaces. JSON has line breaks between values only; those in strings are escaped.
 */
function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
}

/** The indentation of the file: that of its outermost keys, if they are on separate lines. */
function unitOf(text: string, root: JsonObjectNode): string {
  const [first] = root.members;
  const own = (first && ownIndentOf(text, first.keyAt)) ?? '';
  // JSON.stringify cuts an indentation of more than ten characters; one that long is alignment.
  return own !== '' && own.length <= 10 ? own : DEFAULT_UNIT;
}

/** The blanks before a key; undefined if something else is before it on its line. */
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
