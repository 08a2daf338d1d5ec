import type { PageBlock, BlockFrame } from '../blocks/block.ts';
import { ElementNode } from '../tree/node.ts';

/** Deeper lists and quotations are written at this depth: every level indents every line. */
const MAX_FRAMES = 24;

interface OpenFrame {
  readonly frame: BlockFrame;
  /** Before the lines of the frame, without those around it. */
  readonly indent: string;
  /** Before its first line. */
  readonly marker: string;
  isStarted: boolean;
}

export interface FrameWriter {
  write(block: PageBlock, text: string): void;
  finish(): string;
}

export function createFrames(): FrameWriter {
  const lines: string[] = [];
  const ordinals = new Map<ElementNode, number>();
  const lists = createListMarks();
  let open: OpenFrame[] = [];
  let previous: PageBlock | undefined;

  function separate(next: readonly OpenFrame[], common: number, block: PageBlock): void {
    if (lines.length === 0 || isTight(previous, open, next, common, block)) return;
    const shared = next
      .slice(0, common)
      .map(({ indent }) => indent)
      .join('');
    lines.push(shared.trimEnd());
  }

  return {
    write(block, text) {
      const wanted = framesOf(block.frame);
      let common = 0;
      while (common < open.length && open[common]?.frame === wanted[common]) common++;
      const next = open.slice(0, common);
      for (const frame of wanted.slice(common)) {
        const isPlain = frame === wanted.at(-1) && block.kind === 'text';
        const isNested = next.at(-1)?.frame.kind === 'definition';
        next.push(
          frame.kind === 'definition'
            ? openDefinition(frame, isPlain ? 'text' : 'block', isNested ? '' : '  ')
            : openFrame(frame, ordinals, lists),
        );
      }
      separate(next, common, block);
      open = next;
      for (const line of text.split('\n')) {
        let prefix = '';
        for (const each of open) {
          prefix += each.isStarted ? each.indent : each.marker;
          each.isStarted = true;
        }
        lines.push(line === '' ? prefix.trimEnd() : prefix + line);
      }
      previous = block;
    },
    finish: () => lines.join('\n'),
  };
}

function framesOf(innermost: BlockFrame | undefined): BlockFrame[] {
  const frames: BlockFrame[] = [];
  for (let at = innermost; at !== undefined; at = at.parent)
    if (at.kind !== 'term' && at.kind !== 'caption') frames.push(at);
  return frames.reverse().slice(0, MAX_FRAMES);
}

/**
 * CommonMark does not have definitions: a list, a table or code after the colon would be read as
 * text, and four spaces as code.
 */
function openDefinition(frame: BlockFrame, begins: 'text' | 'block', indent: '' | '  '): OpenFrame {
  return begins === 'text'
    ? { frame, indent, marker: ': ', isStarted: false }
    : { frame, indent: '', marker: '', isStarted: false };
}

function openFrame(
  frame: BlockFrame,
  ordinals: Map<ElementNode, number>,
  lists: ListMarks,
): OpenFrame {
  switch (frame.kind) {
    case 'quote':
      return { frame, indent: '> ', marker: '> ', isStarted: false };
    case 'item':
    case 'term':
    case 'definition':
    case 'caption': {
      const marker = lists.markerOf(frame.element, ordinals);
      return { frame, indent: ' '.repeat(marker.length), marker, isStarted: false };
    }
    default:
      return frame.kind satisfies never;
  }
}

/** Items of one list, and a list inside of an item, follow without an empty line. */
function isTight(
  previous: PageBlock | undefined,
  open: readonly OpenFrame[],
  next: readonly OpenFrame[],
  common: number,
  block: PageBlock,
): boolean {
  if (previous === undefined || previous.kind === 'rule') return false;
  const opened = next[common];
  if (opened?.frame.kind === 'definition')
    return (
      opened.marker !== '' &&
      (previous.frame?.kind === 'term' || open[common]?.frame.kind === 'definition')
    );
  if (opened?.frame.kind !== 'item') return false;
  if (block.kind !== 'text' || previous.kind !== 'text') return false;
  const left = open[common];
  if (left !== undefined)
    return left.frame.kind === 'item' && left.frame.element.parent === opened.frame.element.parent;
  // A list after the text of its item; one that starts at another number needs the empty line.
  return (
    common > 0 &&
    open[common - 1]?.frame.kind === 'item' &&
    next.slice(common).every(({ marker }) => /^(?:[-*]|1[.)]) /.test(marker))
  );
}

interface ListMarks {
  markerOf(item: ElementNode, ordinals: Map<ElementNode, number>): string;
}

/** Two lists in a row have different marks, or they would be read as one. */
function createListMarks(): ListMarks {
  const alternates = new Map<ElementNode, boolean>();
  const last = new Map<ElementNode | undefined, ElementNode>();

  function isAlternate(list: ElementNode): boolean {
    const known = alternates.get(list);
    if (known !== undefined) return known;
    const around = list.parent;
    const before = last.get(around);
    const result =
      before !== undefined && before.name === list.name && !(alternates.get(before) ?? false);
    alternates.set(list, result);
    last.set(around, list);
    return result;
  }

  return {
    markerOf(item, ordinals) {
      const list = item.parent;
      if (list === undefined) return '- ';
      const alternate = isAlternate(list);
      if (list.name !== 'ol') return alternate ? '* ' : '- ';
      return `${ordinalOf(item, list, ordinals)}${alternate ? ')' : '.'} `;
    },
  };
}

/** The number of an item: items that were dropped count. Each list is counted once. */
function ordinalOf(
  item: ElementNode,
  list: ElementNode,
  ordinals: Map<ElementNode, number>,
): number {
  const known = ordinals.get(item);
  if (known !== undefined) return known;
  let number = integer(list.get('start')) ?? 1;
  for (const child of list.children) {
    if (!(child instanceof ElementNode) || child.name !== 'li') continue;
    number = integer(child.get('value')) ?? number;
    ordinals.set(child, Math.min(Math.max(number, 0), 999_999_999));
    number++;
  }
  return ordinals.get(item) ?? 1;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
