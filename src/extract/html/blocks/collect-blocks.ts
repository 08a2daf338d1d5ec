import { ElementNode, TextNode, type Tree, type TreeNode } from '../tree/node.ts';
import { BLOCK, CONTROL, SKIPPED } from '../tree/tags.ts';
import type { Area, PageBlock, BlockKind, BlockFrame } from './block.ts';
import { createGroupReader } from './class-groups.ts';
import { isDataTable } from './data-table.ts';
import { isHiddenElement } from './hidden.ts';
import { TextCounter } from './measure.ts';
import { regionOf } from './regions.ts';

export interface PageBlocks {
  readonly blocks: readonly PageBlock[];
  readonly areas: readonly Area[];
  readonly chars: number;
  readonly words: number;
  readonly linkChars: number;
  /** Characters that a browser does not show. */
  readonly hiddenChars: number;
  /** Characters inside <noscript>. */
  readonly noscriptChars: number;
}

export interface BlockOptions {
  /** `read` takes the text of <noscript>, as without scripts. */
  readonly noscript: 'skip' | 'read';
  /** Hidden elements with at least this many characters are read. */
  readonly hiddenFrom: number;
}

const FRAMES: Readonly<Record<string, BlockFrame['kind']>> = {
  li: 'item',
  blockquote: 'quote',
  dt: 'term',
  dd: 'definition',
  figcaption: 'caption',
};

export function collectBlocks(tree: Tree, options: BlockOptions): PageBlocks {
  const walk = new BlockWalk(options);
  walk.container(tree.body, undefined, undefined, undefined);
  return walk;
}

class BlockWalk implements PageBlocks {
  readonly blocks: PageBlock[] = [];
  readonly areas: Area[] = [];
  chars = 0;
  words = 0;
  linkChars = 0;
  hiddenChars = 0;
  noscriptChars = 0;
  private readonly options: BlockOptions;
  private readonly groupsOf = createGroupReader();
  private readonly counter = new TextCounter();

  constructor(options: BlockOptions) {
    this.options = options;
  }

  /** Splits the children into blocks and the runs of inline text between them. */
  container(
    element: ElementNode,
    parent: Area | undefined,
    frame: BlockFrame | undefined,
    link: ElementNode | undefined,
  ): void {
    const area = this.openArea(element, parent);
    const { children } = element;
    let start = -1;
    for (let i = 0; i < children.length; i++) {
      const child = children[i] as TreeNode;
      if (child instanceof ElementNode && (child.hasBlock || (child.flags & BLOCK) !== 0)) {
        if (start >= 0) this.run(element, start, i, area, frame, link);
        start = -1;
        this.element(child, area, frame, link);
      } else if (start < 0) start = i;
    }
    if (start >= 0) this.run(element, start, children.length, area, frame, link);
    area.lastBlock = this.blocks.length;
    if (parent !== undefined) {
      parent.chars += area.chars;
      parent.linkChars += area.linkChars;
      parent.blocks += area.blocks;
      parent.stops += area.stops;
    }
  }

  private element(
    element: ElementNode,
    area: Area,
    frame: BlockFrame | undefined,
    link: ElementNode | undefined,
  ): void {
    const { name } = element;
    if ((element.flags & SKIPPED) !== 0 && element.get('shadowrootmode') === undefined) return;
    if (name === 'noscript' && this.options.noscript === 'skip') {
      this.noscriptChars += lengthOf(element);
      return;
    }
    if (isHiddenElement(element)) {
      const length = lengthOf(element);
      if (length < this.options.hiddenFrom) {
        this.hiddenChars += length;
        return;
      }
    }
    if (name === 'hr') this.add('rule', element, 0, 0, area, frame, link);
    else if (name === 'pre' || name === 'xmp' || name === 'listing' || name === 'plaintext')
      this.whole('code', element, area, frame, link);
    else if (name === 'table' && isDataTable(element))
      this.whole('table', element, area, frame, link);
    else {
      const kind = Object.hasOwn(FRAMES, name) ? FRAMES[name] : undefined;
      const inner =
        kind === undefined
          ? frame
          : { kind, element, parent: frame, depth: (frame?.depth ?? 0) + 1 };
      const isLink = name === 'a' && element.get('href') !== undefined;
      this.container(element, area, inner, isLink ? element : link);
    }
  }

  /** Inline nodes between two blocks. */
  private run(
    element: ElementNode,
    start: number,
    end: number,
    area: Area,
    frame: BlockFrame | undefined,
    link: ElementNode | undefined,
  ): void {
    const { counter } = this;
    counter.reset();
    for (let i = start; i < end; i++)
      counter.add(element.children[i] as TreeNode, link === undefined ? 'text' : 'link');
    if (counter.chars === 0 && counter.images === 0) return;
    const kind = counter.chars === 0 ? 'image' : headingLevel(element) > 0 ? 'heading' : 'text';
    this.add(kind, element, start, end, area, frame, link);
  }

  private whole(
    kind: BlockKind,
    element: ElementNode,
    parent: Area,
    frame: BlockFrame | undefined,
    link: ElementNode | undefined,
  ): void {
    const area = this.openArea(element, parent);
    this.counter.reset();
    this.counter.addChildren(element, link === undefined ? 'text' : 'link');
    if (this.counter.chars > 0)
      this.add(kind, element, 0, element.children.length, area, frame, link);
    area.lastBlock = this.blocks.length;
    parent.chars += area.chars;
    parent.linkChars += area.linkChars;
    parent.blocks += area.blocks;
    parent.stops += area.stops;
  }

  private add(
    kind: BlockKind,
    element: ElementNode,
    start: number,
    end: number,
    area: Area,
    frame: BlockFrame | undefined,
    link: ElementNode | undefined,
  ): void {
    const { counter } = this;
    if (kind === 'rule') counter.reset();
    const { chars, words, linkChars, links, stops, commas, digits, capitals, images } = counter;
    this.blocks.push({
      kind,
      index: this.blocks.length,
      element,
      start,
      end,
      area,
      frame,
      link,
      level: headingLevel(element),
      images,
      groups: this.wrapperGroups(element, start, end),
      isControl: counter.controlChars * 2 > chars || (element.flags & CONTROL) !== 0,
      endsSentence: counter.endsSentence,
      offset: this.chars,
      chars,
      words,
      linkChars,
      links,
      stops,
      commas,
      digits,
      capitals,
    });
    this.chars += chars;
    this.words += words;
    this.linkChars += linkChars;
    area.chars += chars;
    area.linkChars += linkChars;
    area.blocks++;
    area.stops += stops;
  }

  /** The classes of the only element of a run, as of `<span class="date">`. */
  private wrapperGroups({ children }: ElementNode, start: number, end: number): number {
    let wrapper: ElementNode | undefined;
    for (let i = start; i < end; i++) {
      const child = children[i] as TreeNode;
      if (child instanceof TextNode) {
        if (child.text.length > 2 && child.text.trim() !== '') return 0;
      } else if (wrapper !== undefined) return 0;
      else wrapper = child;
    }
    const names = wrapper?.get('class');
    return names === undefined ? 0 : this.groupsOf(names);
  }

  private openArea(element: ElementNode, parent: Area | undefined): Area {
    const names = element.get('class');
    const id = element.get('id');
    const itemprop = element.get('itemprop');
    const area: Area = {
      element,
      parent,
      depth: parent === undefined ? 0 : parent.depth + 1,
      groups:
        (names === undefined ? 0 : this.groupsOf(names)) |
        (id === undefined ? 0 : this.groupsOf(id)) |
        (itemprop === undefined ? 0 : this.groupsOf(itemprop)),
      region: regionOf(element),
      chars: 0,
      linkChars: 0,
      blocks: 0,
      stops: 0,
      repeats: repeatsOf(element),
      firstBlock: this.blocks.length,
      lastBlock: this.blocks.length,
      score: 0,
    };
    this.areas.push(area);
    return area;
  }
}

function headingLevel({ name }: ElementNode): number {
  if (name.length !== 2 || name.charCodeAt(0) !== 104) return 0;
  const level = name.charCodeAt(1) - 48;
  return level >= 1 && level <= 6 ? level : 0;
}

/** Compares the children with the first of the same name: cards, posts and results repeat a class. */
function repeatsOf({ children }: ElementNode): number {
  if (children.length < 3) return 0;
  const counts = new Map<string, number>();
  let most = 0;
  for (const child of children) {
    if (child instanceof TextNode || !(child.hasBlock || (child.flags & BLOCK) !== 0)) continue;
    const key = child.get('class') ?? child.name;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > most) most = count;
  }
  return most;
}

function lengthOf(element: ElementNode): number {
  let length = 0;
  for (const child of element.children) {
    if (child instanceof TextNode) length += child.text.trim().length;
    else if ((child.flags & SKIPPED) === 0) length += lengthOf(child);
  }
  return length;
}
