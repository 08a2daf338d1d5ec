/** A part of a text, from its first character to the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const BLOCK_HEAD = /[|>][-+0-9]{0,2}[ \t]{0,20}(?:#[^\r\n]{0,200})?\r?\n([ \t]+)/y;

/** The lines below `name: |`, as YAML writes a value of several lines: all that are indented like the first. */
export function yamlBlock(text: string, at: number): Span | undefined {
  BLOCK_HEAD.lastIndex = at;
  const indent = BLOCK_HEAD.exec(text)?.[1];
  if (indent === undefined) return undefined;
  const start = BLOCK_HEAD.lastIndex;
  const inside = new RegExp(`\\n(?:[ \\t]{${Math.min(indent.length, 1000)}}|\\r?(?:\\n|$))`, 'y');
  let end = lineEnd(text, start);
  for (; end < text.length; end = lineEnd(text, end + 1)) {
    inside.lastIndex = end;
    if (!inside.test(text)) break;
  }
  return { start, end };
}

// What stands between the name of a form field and its value: the rest of the line, more headers, an empty line.
const FIELD_HEAD = /"[^\r\n]{0,256}(?:\r?\n[^\r\n]{1,256}){0,3}\r?\n\r?\n/y;
const ESCAPED_FIELD_HEAD =
  /\\{1,63}"[^\\]{0,256}(?:(?:\\{1,63}r)?\\{1,63}n[^\\]{1,256}){0,3}(?:(?:\\{1,63}r)?\\{1,63}n){2}/y;

/** The value of a multipart form's field, from where its name ends. It goes on to the next boundary. */
export function formField(text: string, at: number): Span | undefined {
  return (
    fieldBelow(text, at, FIELD_HEAD, '\n--') ?? fieldBelow(text, at, ESCAPED_FIELD_HEAD, '\\n--')
  );
}

function fieldBelow(text: string, at: number, head: RegExp, boundary: string): Span | undefined {
  head.lastIndex = at;
  if (!head.test(text)) return undefined;
  const start = head.lastIndex;
  // The value may be empty; the line end before the boundary is then the one that ended the head.
  const end = text.indexOf(boundary, start - boundary.length + '--'.length);
  return { start, end: end === -1 ? text.length : Math.max(start, end) };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
