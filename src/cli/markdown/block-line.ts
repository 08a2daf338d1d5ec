/** What surrounds a block: a quote, or an item of a list. */
export type Container =
  | { readonly is: 'quote' }
  | {
      readonly is: 'item';
      /** How far its text is indented in the source. */
      readonly indent: number;
      readonly marker: { readonly is: 'bullet' } | { readonly is: 'number'; readonly text: string };
      readonly task?: 'open' | 'done';
    };

/** A line of Markdown: what it is part of, and what it is itself. */
export interface BlockLine {
  /** How many of the open containers it belongs to. */
  readonly kept: number;
  readonly opened: readonly Container[];
  readonly block: LineBlock;
}

export type LineBlock =
  | { readonly is: 'blank' | 'rule' }
  | {
      readonly is: 'heading';
      readonly level: number;
      readonly marker: string;
      readonly text: string;
    }
  | { readonly is: 'fence'; readonly fence: string; readonly indent: number; readonly info: string }
  /** It begins with `|`, as the rows of a table do. */
  | { readonly is: 'row'; readonly text: string }
  | { readonly is: 'code'; readonly text: string }
  | { readonly is: 'text'; readonly text: string };

/** The block that is open before a line. */
export type OpenBlock = 'none' | 'paragraph' | 'fence' | 'code';

/** Deeper ones are shown as they were written. */
const MAX_DEPTH = 12;
const TAB_COLUMNS = 4;
const CODE_INDENT = 4;
/** More spaces behind a marker begin indented code. */
const MAX_MARKER_GAP = 4;

const RULE_CHARS = /^[-*_][-*_ \t]+$/;
const ITEM = /(?:([-+*])|(\d{1,9}[.)]))(?=[ \t]|$)/y;
const TASK = /\[([ xX])\](?=[ \t])[ \t]/y;
const FENCE = /^(`{3,}|~{3,})[ \t]*(.*)$/;
const HEADING = /^(#{1,6})(?:[ \t]+(.*))?$/;

/** Reads a line in the surroundings that are open before it. */
export function parseBlockLine(
  line: string,
  containers: readonly Container[],
  open: OpenBlock,
): BlockLine {
  const cursor = createCursor(line);
  let kept = 0;
  for (const container of containers) {
    if (!enter(container, cursor, open)) break;
    kept += 1;
  }
  const isWhole = kept === containers.length;
  if (isWhole && open === 'fence')
    return { kept, opened: [], block: { is: 'text', text: cursor.rest() } };
  const continues = isWhole && open === 'paragraph';
  const opened = openContainers(cursor, { depth: kept, continues, inList: hasItem(containers) });
  const block = classify(cursor, continues && opened.length === 0);
  const isLazy = !isWhole && opened.length === 0 && open === 'paragraph' && block.is === 'text';
  return { kept: isLazy ? containers.length : kept, opened, block };
}

interface Cursor {
  /** The columns of white space from here. */
  indent(): number;
  skipColumns(count: number): void;
  skip(count: number): void;
  peek(): string;
  match(shape: RegExp): RegExpExecArray | null;
  rest(): string;
  isBlank(): boolean;
}

function createCursor(line: string): Cursor {
  let at = 0;
  /** Columns of a tab that was entered in part. */
  let left = 0;
  const spaces = () => {
    let end = at;
    while (line[end] === ' ' || line[end] === '\t') end += 1;
    return end;
  };
  return {
    indent() {
      let columns = left;
      for (let end = at; line[end] === ' ' || line[end] === '\t'; end += 1)
        columns += line[end] === '\t' ? TAB_COLUMNS : 1;
      return columns;
    },
    skipColumns(count) {
      let columns = Math.min(left, count);
      left -= columns;
      while (columns < count && (line[at] === ' ' || line[at] === '\t')) {
        columns += line[at] === '\t' ? TAB_COLUMNS : 1;
        at += 1;
      }
      left += Math.max(0, columns - count);
    },
    skip(count) {
      at = spaces() + count;
      left = 0;
    },
    peek: () => line[spaces()] ?? '',
    match(shape) {
      shape.lastIndex = spaces();
      return shape.exec(line);
    },
    rest: () => ' '.repeat(left) + line.slice(at),
    isBlank: () => spaces() === line.length,
  };
}

function enter(container: Container, cursor: Cursor, open: OpenBlock): boolean {
  if (container.is === 'quote') {
    if (cursor.peek() !== '>' || cursor.indent() >= CODE_INDENT) return false;
    cursor.skip(1);
    cursor.skipColumns(1);
    return true;
  }
  // The lines of a fence often lack the indentation of their item.
  const isInside = cursor.isBlank() || open === 'fence' || cursor.indent() >= container.indent;
  if (isInside) cursor.skipColumns(container.indent);
  return isInside;
}

function hasItem(containers: readonly Container[]): boolean {
  return containers.some(({ is }) => is === 'item');
}

interface OpenContext {
  readonly depth: number;
  /** The line continues a paragraph unless it begins something else. */
  readonly continues: boolean;
  readonly inList: boolean;
}

function openContainers(cursor: Cursor, context: OpenContext): Container[] {
  const opened: Container[] = [];
  while (context.depth + opened.length < MAX_DEPTH) {
    const indent = cursor.indent();
    const isDeep = indent >= CODE_INDENT;
    const mayBeItem = !isDeep || context.inList || hasItem(opened);
    if (cursor.peek() === '>' && !isDeep) {
      cursor.skip(1);
      cursor.skipColumns(1);
      opened.push({ is: 'quote' });
      continue;
    }
    const rest = cursor.rest().trim();
    const found = mayBeItem && !isRule(rest) ? cursor.match(ITEM) : null;
    if (!found) break;
    const [marker, bullet] = found;
    const isText = rest.length > marker.length;
    const interrupts = bullet !== undefined || Number.parseInt(marker, 10) === 1;
    if (context.continues && opened.length === 0 && !(isText && interrupts)) break;
    cursor.skip(marker.length);
    const gap = cursor.indent();
    const isTight = isText && gap <= MAX_MARKER_GAP;
    cursor.skipColumns(isTight ? gap : 1);
    const task = cursor.match(TASK);
    if (task) cursor.skip(task[0].length);
    opened.push({
      is: 'item',
      indent: indent + marker.length + (isTight ? gap : 1),
      marker: bullet === undefined ? { is: 'number', text: marker } : { is: 'bullet' },
      ...(task && { task: task[1] === ' ' ? 'open' : 'done' }),
    });
  }
  return opened;
}

function classify(cursor: Cursor, continues: boolean): LineBlock {
  if (cursor.isBlank()) return { is: 'blank' };
  const indent = cursor.indent();
  if (indent >= CODE_INDENT && !continues) {
    cursor.skipColumns(CODE_INDENT);
    return { is: 'code', text: cursor.rest() };
  }
  const text = cursor.rest().trimStart();
  if (indent >= CODE_INDENT) return { is: 'text', text };
  if (isRule(text.trimEnd())) return { is: 'rule' };
  const fence = FENCE.exec(text);
  if (fence) {
    const [, marker = '', info = ''] = fence;
    if (!(marker.startsWith('`') && info.includes('`')))
      return { is: 'fence', fence: marker, indent, info: info.trim() };
  }
  const heading = HEADING.exec(text);
  if (heading) {
    const [, marker = '', title = ''] = heading;
    return { is: 'heading', level: marker.length, marker, text: title };
  }
  return { is: text.startsWith('|') ? 'row' : 'text', text };
}

function isRule(text: string): boolean {
  if (!RULE_CHARS.test(text)) return false;
  const marks = text.replaceAll(/[ \t]/g, '');
  return marks.length >= 3 && marks === text.charAt(0).repeat(marks.length);
}

/** Whether the line ends the open fence. */
export function endsCodeFence(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** Everything that the first character after markers may decide has come. */
const UNDECIDED = /^[\s>#*+_=~`|\d.)[\]xX-]*$/;

/** Whether a line that has not come whole may still turn out to be another block. */
export function isUndecided(added: string): boolean {
  return UNDECIDED.test(added);
}
