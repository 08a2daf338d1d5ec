import type { Colour } from '../format/colors.ts';
import { displayWidth } from '../terminal/display-width.ts';
import {
  endsCodeFence,
  isUndecided,
  parseBlockLine,
  type BlockLine,
  type Container,
  type LineBlock,
  type OpenBlock,
} from './block-line.ts';
import { createHighlighter, type HighlightLine } from './highlight.ts';
import { createInlineReader, type InlineReader } from './inline.ts';
import { createLineFlow, type LineFlow } from './line-flow.ts';
import { createLinePrefix } from './line-prefix.ts';
import type { MarkdownStyle } from './markdown-style.ts';
import { createTableWriter, isDelimiterRow, type TableWriter } from './table.ts';

export interface MarkdownOptions {
  readonly write: (text: string) => void;
  readonly style: MarkdownStyle;
  /** The columns of the terminal, read for each line. */
  readonly columns: () => number;
}

/** Streamed Markdown, written for a terminal. What was written never changes. */
export interface MarkdownRenderer {
  add(text: string): void;
  end(): void;
  /** What is held back until it is complete. */
  readonly holds: 'table' | undefined;
}

interface TextLeaf {
  readonly is: 'text';
  readonly kind: 'paragraph' | 'heading';
  readonly flow: LineFlow;
  readonly reader: InlineReader;
}

type Leaf =
  | { readonly is: 'none' }
  | TextLeaf
  | {
      readonly is: 'fence';
      readonly fence: string;
      readonly indent: number;
      readonly paintLine: HighlightLine;
    }
  | { readonly is: 'code' }
  /** A first row, which the next line makes a table of, or not. */
  | { readonly is: 'row'; readonly line: string }
  | { readonly is: 'table'; readonly table: TableWriter };

const NO_LEAF: Leaf = { is: 'none' };
const MAX_RULE_COLUMNS = 60;
const FENCE_RULE_COLUMNS = 3;

export function createMarkdownRenderer(options: MarkdownOptions): MarkdownRenderer {
  const { style, columns, write } = options;
  const { paint, symbols } = style;
  const prefix = createLinePrefix(style, columns);
  let containers: readonly Container[] = [];
  let leaf: Leaf = NO_LEAF;
  /** The line that has not come whole. */
  let line: string[] = [];
  /** How the rest of the line is read: as text at once, or when it is whole. */
  let reading: 'undecided' | 'whole' | 'text' = 'undecided';
  /** Whether the next block is set apart by an empty line. */
  let gap: 'none' | 'wanted' = 'none';
  let hasWritten = false;

  function writeLine(text: string): void {
    write(`${prefix.next()}${text}`.trimEnd());
    write('\n');
    hasWritten = true;
  }

  function writeGap(): void {
    if (gap === 'wanted' && hasWritten) write(`${prefix.empty()}\n`);
    gap = 'none';
  }

  function openText(kind: TextLeaf['kind'], styles: readonly Colour[]): TextLeaf {
    const flow = createLineFlow({
      write(text) {
        hasWritten = true;
        write(text);
      },
      paint,
      columns,
      startLine: () => prefix.next(),
      longWords: 'overflow',
    });
    const reader = createInlineReader(
      { text: (text, all) => flow.add(text, all), breakLine: () => flow.breakLine() },
      { styles, markers: style.markers },
    );
    return { is: 'text', kind, flow, reader };
  }

  function closeLeaf(): void {
    const closed = leaf;
    leaf = NO_LEAF;
    if (closed.is === 'text') {
      closed.reader.end();
      closed.flow.end();
      if (closed.kind === 'heading') gap = 'wanted';
    } else if (closed.is === 'fence') {
      writeLine(paint('dim', symbols.rule.repeat(FENCE_RULE_COLUMNS)));
      gap = 'wanted';
    } else if (closed.is === 'code') gap = 'wanted';
    else if (closed.is === 'table') {
      closed.table.end();
      gap = 'wanted';
    } else if (closed.is === 'row') {
      // The row of no table.
      leaf = openText('paragraph', []);
      addText(closed.line);
      closeLeaf();
    }
  }

  function addText(text: string): void {
    const open = leaf.is === 'text' ? leaf : openText('paragraph', []);
    leaf = open;
    open.reader.add(text);
  }

  function openBlock(): OpenBlock {
    if (leaf.is === 'text') return leaf.kind === 'paragraph' ? 'paragraph' : 'none';
    if (leaf.is === 'fence' || leaf.is === 'code') return leaf.is;
    return 'none';
  }

  /** Closes and opens containers, so that they are those of the line. */
  function enter({ kept, opened }: BlockLine): void {
    if (kept === containers.length && opened.length === 0) return;
    closeLeaf();
    leaveContainers(kept);
    containers = [...containers, ...opened];
    writeGap();
    prefix.open(containers);
  }

  function leaveContainers(kept: number): void {
    const unused = prefix.close(kept);
    containers = containers.slice(0, kept);
    if (unused === undefined) return;
    write(`${unused}\n`);
    hasWritten = true;
  }

  /** Begins a block that stands apart. */
  function apart(): void {
    closeLeaf();
    if (hasWritten && !prefix.isFresh()) gap = 'wanted';
    writeGap();
  }

  function apply(parsed: BlockLine, end: 'whole' | 'partial'): void {
    const { block } = parsed;
    if (block.is === 'blank' && parsed.opened.length === 0) return applyBlank(parsed.kept);
    enter(parsed);
    applyBlock(block, end);
  }

  function applyBlank(kept: number): void {
    if (leaf.is === 'code') return;
    closeLeaf();
    gap = hasWritten ? 'wanted' : 'none';
    // A quote ends at an empty line, an item may continue after it.
    const quote = containers.findIndex(({ is }, at) => at >= kept && is === 'quote');
    if (quote !== -1) leaveContainers(quote);
  }

  function applyBlock(block: LineBlock, end: 'whole' | 'partial'): void {
    switch (block.is) {
      case 'blank':
        return;
      case 'rule':
        apart();
        writeLine(paint('dim', symbols.rule.repeat(Math.min(MAX_RULE_COLUMNS, room()))));
        gap = 'wanted';
        return;
      case 'fence': {
        apart();
        const { fence, indent, info } = block;
        const label = info === '' ? '' : ` ${info}`;
        writeLine(paint('dim', `${symbols.rule.repeat(FENCE_RULE_COLUMNS)}${label}`));
        const paintLine = createHighlighter(info.split(/[\s{,:]/, 1)[0] ?? '', paint);
        leaf = { is: 'fence', fence, indent, paintLine };
        return;
      }
      case 'heading': {
        apart();
        const { level, marker, text } = block;
        leaf = openText('heading', level === 1 ? ['bold', 'underline'] : ['bold']);
        addText(style.markers === 'shown' ? `${marker} ${text}` : text);
        if (end === 'whole') closeLeaf();
        return;
      }
      case 'code':
        if (leaf.is !== 'code') {
          apart();
          leaf = { is: 'code' };
        } else writeGap();
        writeLine(block.text);
        return;
      case 'row':
        closeLeaf();
        leaf = { is: 'row', line: block.text };
        return;
      case 'text':
        if (leaf.is !== 'text' || leaf.kind === 'heading') {
          closeLeaf();
          writeGap();
        }
        addText(block.text);
        if (end === 'whole') addText('\n');
    }
  }

  function room(): number {
    return Math.max(1, columns() - displayWidth(prefix.peek()));
  }

  /** A line while a table may begin or continue; false if it is not part of it. */
  function takeRow(parsed: BlockLine): boolean {
    const isHere = parsed.kept === containers.length && parsed.opened.length === 0;
    const { block } = parsed;
    const text = block.is === 'row' || block.is === 'text' ? block.text : '';
    if (!isHere || text === '') return false;
    if (leaf.is === 'table') {
      if (block.is !== 'row' && !text.includes('|')) return false;
      leaf.table.addRow(text);
      return true;
    }
    if (leaf.is !== 'row' || !isDelimiterRow(text)) return false;
    const { line: header } = leaf;
    leaf = NO_LEAF;
    apart();
    leaf = {
      is: 'table',
      table: createTableWriter(header, text, { style, writeLine, columns: room }),
    };
    return true;
  }

  function takeLine(text: string): void {
    const parsed = parseBlockLine(text, containers, openBlock());
    if (leaf.is === 'fence' && parsed.kept === containers.length) {
      const { fence, indent, paintLine } = leaf;
      const code = parsed.block.is === 'text' ? parsed.block.text : '';
      if (endsCodeFence(code, fence)) closeLeaf();
      else writeCode(paintLine(withoutIndent(code, indent)));
      return;
    }
    if ((leaf.is === 'row' || leaf.is === 'table') && takeRow(parsed)) return;
    if (leaf.is === 'row' && parsed.block.is === 'text') {
      // Both lines are of one paragraph.
      const { line: first } = leaf;
      leaf = NO_LEAF;
      writeGap();
      addText(`${first}\n`);
    } else if (leaf.is === 'row' || leaf.is === 'table') closeLeaf();
    apply(parsed, 'whole');
  }

  /** Code keeps its spaces, also at the end. */
  function writeCode(text: string): void {
    write(text === '' ? `${prefix.empty()}\n` : `${prefix.next()}${text}\n`);
    hasWritten = true;
  }

  /** Reads what has come of a line, if that is enough to know what it is. */
  function takePart(added: string): void {
    const mayDecide =
      reading === 'undecided' && (leaf.is === 'none' || leaf.is === 'text') && !isUndecided(added);
    if (!mayDecide) return;
    const text = line.join('');
    const parsed = parseBlockLine(text, containers, openBlock());
    const { is } = parsed.block;
    if (is !== 'text' && is !== 'heading') {
      reading = 'whole';
      return;
    }
    line = [];
    apply(parsed, 'partial');
    reading = 'text';
  }

  function endLine(): void {
    if (reading === 'text') {
      if (leaf.is === 'text' && leaf.kind === 'heading') closeLeaf();
      else addText('\n');
    } else takeLine(line.join(''));
    line = [];
    reading = 'undecided';
  }

  function addPart(part: string): void {
    if (part === '') return;
    if (reading === 'text') return addText(part);
    line.push(part);
    takePart(part);
  }

  return {
    add(text) {
      let at = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
        // A line that came whole is read at once.
        if (line.length === 0 && reading === 'undecided') takeLine(text.slice(at, end));
        else {
          addPart(text.slice(at, end));
          endLine();
        }
        at = end + 1;
      }
      addPart(text.slice(at));
    },
    end() {
      if (line.length > 0 || reading === 'text') endLine();
      closeLeaf();
      leaveContainers(0);
      gap = 'none';
    },
    get holds() {
      return leaf.is === 'table' ? 'table' : undefined;
    },
  };
}

function withoutIndent(text: string, columns: number): string {
  let at = 0;
  while (at < columns && text[at] === ' ') at += 1;
  return text.slice(at);
}

/** A whole text of Markdown, written for a terminal. */
export function renderMarkdown(text: string, options: Omit<MarkdownOptions, 'write'>): string {
  const parts: string[] = [];
  const renderer = createMarkdownRenderer({ ...options, write: (part) => void parts.push(part) });
  renderer.add(text);
  renderer.end();
  return parts.join('');
}
