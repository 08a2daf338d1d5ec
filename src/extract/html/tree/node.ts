/** The parse tree: elements and texts, with the few attributes that extraction reads. */
export class TextNode {
  readonly parent: ElementNode;
  text: string;

  constructor(parent: ElementNode, text: string) {
    this.parent = parent;
    this.text = text;
  }
}

/** Shared by all elements without content, which are most of a page. */
const NO_CHILDREN: readonly TreeNode[] = [];

export class ElementNode {
  readonly name: string;
  readonly flags: number;
  readonly parent: ElementNode | undefined;
  readonly depth: number;
  children: readonly TreeNode[] = NO_CHILDREN;
  /** Names and values by turns; `undefined` without attributes of interest. */
  attributes: string[] | undefined;
  /** Contains an element that starts a block, so it cannot be written as inline text. */
  hasBlock = false;

  constructor(name: string, flags: number, parent: ElementNode | undefined) {
    this.name = name;
    this.flags = flags;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  append(child: TreeNode): void {
    if (this.children === NO_CHILDREN) this.children = [child];
    else (this.children as TreeNode[]).push(child);
  }

  get(name: string): string | undefined {
    const { attributes } = this;
    if (attributes === undefined) return undefined;
    for (let i = 0; i < attributes.length; i += 2)
      if (attributes[i] === name) return attributes[i + 1];
    return undefined;
  }
}

export type TreeNode = ElementNode | TextNode;

export interface Tree {
  readonly root: ElementNode;
  readonly body: ElementNode;
  /** Elements that metadata reads, in document order: meta, link, title, base, html, scripts of data. */
  readonly head: readonly ElementNode[];
  readonly nodeCount: number;
  /** Characters of scripts and styles. */
  readonly scriptChars: number;
}

/** The text below a node, as it is; depth is bounded by the parser. */
export function textOf(node: TreeNode): string {
  if (node instanceof TextNode) return node.text;
  let text = '';
  for (const child of node.children) text += textOf(child);
  return text;
}
