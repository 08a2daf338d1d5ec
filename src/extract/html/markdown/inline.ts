import { isHiddenElement } from '../blocks/hidden.ts';
import { ElementNode, TextNode, type TreeNode } from '../tree/node.ts';
import { BLOCK, SKIPPED } from '../tree/tags.ts';
import type { Addresses } from './addresses.ts';
import { codeSpan, destination, escapeText } from './escape.ts';
import { joinPieces, type Piece } from './pieces.ts';

const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  cite: '*',
  dfn: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
};
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

export interface InlineMarkdownOptions {
  readonly addresses: Addresses;
  /** In a heading, emphasis says nothing. */
  readonly emphasis: 'marked' | 'plain';
  /** In a table, code cannot contain an escaped pipe. */
  readonly place?: 'cell';
  /** A link around all of it: links inside of it cannot be written as such. */
  readonly around?: 'link';
}

/** Inline nodes as Markdown; a line break is a line break. */
export function inlineMarkdown(nodes: readonly TreeNode[], options: InlineMarkdownOptions): string {
  const writer = new InlineWriter(options);
  for (const node of nodes) writer.write(node);
  return joinPieces(writer.pieces);
}

class InlineWriter {
  readonly pieces: Piece[] = [];
  private readonly options: InlineMarkdownOptions;
  private inLink: boolean;
  private inCode = false;
  private readonly marks: string[] = [];

  constructor(options: InlineMarkdownOptions) {
    this.options = options;
    this.inLink = options.around === 'link';
  }

  write(node: TreeNode): void {
    if (node instanceof TextNode) {
      this.pieces.push(escapeText(collapse(node.text), this.inLink ? 'link' : 'text'));
      return;
    }
    const { name } = node;
    if (name === 'img') this.image(node);
    else if (name === 'br') this.pieces.push('\n');
    else if ((node.flags & SKIPPED) !== 0 || isHiddenElement(node)) return;
    else if (name === 'a') this.link(node);
    else if (CODE.has(name)) this.code(node);
    else if (name === 'q') this.around('"', node);
    else if (Object.hasOwn(MARKS, name)) this.mark(MARKS[name] as string, node);
    // A block inside of a cell or of an inline element: on its own line.
    else if ((node.flags & BLOCK) !== 0) this.around('\n', node);
    else this.children(node);
  }

  private children(element: ElementNode): void {
    for (const child of element.children) this.write(child);
  }

  private around(text: string, element: ElementNode): void {
    this.pieces.push(text);
    this.children(element);
    this.pieces.push(text);
  }

  private mark(marker: string, element: ElementNode): void {
    // Emphasis inside of the same emphasis ends it in Markdown.
    if (this.options.emphasis === 'plain' || this.marks.includes(marker)) {
      this.children(element);
      return;
    }
    const start = { marker, side: 'start' as const, isUsed: true };
    this.pieces.push(start);
    this.marks.push(marker);
    this.children(element);
    this.marks.pop();
    this.pieces.push({ marker, side: 'end', start });
  }

  private link(element: ElementNode): void {
    const href = this.inLink ? undefined : this.options.addresses.link(element.get('href'));
    if (href === undefined) {
      this.children(element);
      return;
    }
    const from = this.pieces.length;
    this.inLink = true;
    this.children(element);
    this.inLink = false;
    const text = joinPieces(this.pieces.splice(from));
    const inner = text.trim();
    if (inner === '') {
      if (text !== '') this.pieces.push(' ');
      return;
    }
    if (this.options.emphasis === 'plain' && isAnchorSign(inner, href)) return;
    const label = inner.replace(/\s*\n\s*/g, ' ');
    if (text.trimStart() !== text) this.pieces.push(' ');
    this.pieces.push(`[${label}](${destination(href)})`);
    if (text.trimEnd() !== text) this.pieces.push(' ');
  }

  private code(element: ElementNode): void {
    // Code inside of code that could not be written as such cannot be, either.
    if (this.inCode) {
      this.children(element);
      return;
    }
    const text = shownText(element).replace(/\s+/g, ' ');
    if (text.trim() === '') this.pieces.push(text);
    else if (
      hasLinkOrImage(element) ||
      (this.options.place === 'cell' && text.includes(String.raw`\|`))
    ) {
      this.inCode = true;
      this.children(element);
      this.inCode = false;
    } else this.pieces.push(codeSpan(text.trim()));
  }

  private image(image: ElementNode): void {
    const source = this.options.addresses.image(image);
    if (source === undefined || isTiny(image)) return;
    const alt = collapse(image.get('alt') ?? '').trim();
    this.pieces.push(`![${escapeText(alt, 'link')}](${destination(source)})`);
  }
}

/** `¶` or `#` beside a heading: a link to the heading itself. */
function isAnchorSign(text: string, href: string): boolean {
  return text.length <= 4 && href.includes('#') && !/[\p{L}\p{N}]/u.test(text);
}

/** Images of one or two pixels count visits. */
function isTiny(image: ElementNode): boolean {
  return (
    /^[0-2](?:px)?$/.test(image.get('width') ?? '') ||
    /^[0-2](?:px)?$/.test(image.get('height') ?? '')
  );
}

function hasLinkOrImage(element: ElementNode): boolean {
  return element.children.some(
    (child) =>
      child instanceof ElementNode &&
      (child.name === 'a' || child.name === 'img' || hasLinkOrImage(child)),
  );
}

/** Any white space but a single space; none is left over, or long runs would make patterns slow. */
const NEEDS_COLLAPSE = /[^\S ]|[\u00ad\u200b]| {2}/;

/** White space as a browser shows it; marks for line breaking are not text. */
export function collapse(text: string): string {
  if (!NEEDS_COLLAPSE.test(text)) return text;
  return text.replace(/[\u00ad\u200b\ufeff]/g, '').replace(/\s+/g, ' ');
}

/** The text of an element without what is skipped or hidden. */
export function shownText(node: TreeNode): string {
  if (node instanceof TextNode) return node.text;
  if (node.name === 'br') return '\n';
  if ((node.flags & SKIPPED) !== 0 || isHiddenElement(node)) return '';
  let text = '';
  for (const child of node.children) text += shownText(child);
  return text;
}
