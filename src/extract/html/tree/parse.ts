import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { MAX_DEPTH, tooManyNodes, type HtmlLimits } from '../limits.ts';
import { ElementNode, TextNode, type Tree } from './node.ts';
import { BLOCK, endsParagraph, IMPLIES_END, SCOPE, SPECIAL, tagFlags, VOID } from './tags.ts';

/** The attributes that extraction reads; the values of others are not even copied. */
const ATTRIBUTES = new Set(
  (
    'id class href src srcset data-src data-srcset data-original data-lazy-src data-lazy alt title role hidden style aria-hidden ' +
    'aria-label aria-modal start colspan rowspan lang xml:lang type content property name itemprop itemtype itemscope datetime ' +
    'rel charset http-equiv data-lang data-language language value data-value media author width height shadowrootmode'
  ).split(' '),
);

/** What may stand in <head>; anything else ends it. */
const IN_HEAD = new Set([
  'meta',
  'link',
  'title',
  'base',
  'script',
  'style',
  'template',
  'noscript',
]);
/** Names with another length or first letter need not be copied to be looked up. */
const ATTRIBUTE_FORMS = new Set(
  [...ATTRIBUTES].map((name) => form(name.charCodeAt(0), name.length)),
);

function form(first: number, length: number): number {
  return (first | 32) * 64 + length;
}

const RAW = new Set(['script', 'style']);
const HEAD = new Set(['meta', 'link', 'title', 'base', 'html', 'script']);
const DATA_SCRIPT = /json|__[A-Z_]+__/i;

/**
 * Builds the tree with htmlparser2's tokenizer. The tree builder is our own, for two reasons: time
 * stays linear for any nesting, and only what extraction reads is kept.
 */
export function parseHtml(source: string, limits: HtmlLimits, mode: 'html' | 'xhtml'): Tree {
  const text = mode === 'html' ? withoutCdata(source) : source;
  const builder = new TreeBuilder(text, limits, mode);
  // Entities are decoded per text: the tokenizer then jumps from tag to tag.
  const tokenizer = new Tokenizer(
    { decodeEntities: false, recognizeSelfClosing: mode === 'xhtml' },
    builder,
  );
  tokenizer.write(text);
  tokenizer.end();
  return builder.finish();
}

/** In HTML, CDATA is a comment that ends at the next tag; the tokenizer reads on to `]]>`. */
function withoutCdata(source: string): string {
  return source.includes('![CDATA[') ? source.replaceAll('<![CDATA[', '<!----> ') : source;
}

class TreeBuilder implements TokenizerCallbacks {
  private readonly source: string;
  private readonly limits: HtmlLimits;
  private readonly isXhtml: boolean;
  private readonly root = new ElementNode('#root', BLOCK | SPECIAL | SCOPE, undefined);
  private current: ElementNode = this.root;
  private readonly openCounts = new Map<string, number>();
  private readonly head: ElementNode[] = [];
  private readonly names = new Map<string, { name: string; flags: number }>();
  private body: ElementNode | undefined;
  private html: ElementNode | undefined;
  private isBare = false;
  private opening: ElementNode | undefined;
  private attributeName: string | undefined;
  private attributeValue = '';
  private text = '';
  private foreignDepth = 0;
  private nodeCount = 0;
  private scriptChars = 0;

  constructor(source: string, limits: HtmlLimits, mode: 'html' | 'xhtml') {
    this.source = source;
    this.limits = limits;
    this.isXhtml = mode === 'xhtml';
  }

  finish(): Tree {
    this.flushText();
    const { root, head, nodeCount, scriptChars } = this;
    return { root, body: this.body ?? root, head, nodeCount, scriptChars };
  }

  isInForeignContext(): boolean {
    return this.isXhtml || this.foreignDepth > 0;
  }

  ontext(start: number, end: number): void {
    const { name } = this.current;
    if (RAW.has(name)) {
      this.scriptChars += end - start;
      if (!isDataScript(this.current)) return;
    }
    if (this.text === '') this.text = this.source.slice(start, end);
    else this.text += this.source.slice(start, end);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.flushText();
    const { name, flags } = this.tag(start, end);
    // A second <html> or <body> adds nothing but its attributes.
    if (name === 'body' && (this.body !== undefined || this.hasTextBefore())) {
      this.opening = this.body;
      return;
    }
    if (name === 'html' && (this.html !== undefined || this.hasTextBefore())) {
      this.opening = this.html;
      return;
    }
    this.endImplied(name, flags);
    if (this.current.depth >= MAX_DEPTH && (flags & VOID) === 0) this.pop();
    const parent = this.current;
    const element = new ElementNode(name, flags, parent);
    parent.append(element);
    this.count();
    if (HEAD.has(name)) this.head.push(element);
    if (name === 'body') this.body = element;
    else if (name === 'html') this.html = element;
    if ((flags & BLOCK) !== 0) markBlocks(parent);
    if ((flags & VOID) === 0) {
      this.current = element;
      this.openCounts.set(name, (this.openCounts.get(name) ?? 0) + 1);
      if (name === 'svg' || name === 'math') this.foreignDepth++;
    }
    this.opening = element;
  }

  onattribname(start: number, end: number): void {
    this.attributeName = undefined;
    if (!ATTRIBUTE_FORMS.has(form(this.source.charCodeAt(start), end - start))) return;
    const name = this.source.slice(start, end);
    if (ATTRIBUTES.has(name)) this.attributeName = name;
    else {
      const lower = name.toLowerCase();
      this.attributeName = lower !== name && ATTRIBUTES.has(lower) ? lower : undefined;
    }
    this.attributeValue = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.attributeName !== undefined) this.attributeValue += this.source.slice(start, end);
  }

  onattribend(): void {
    const { attributeName: name, opening } = this;
    if (name === undefined || opening === undefined) return;
    const value = this.attributeValue;
    const decoded = value.includes('&') ? decodeHTMLAttribute(value) : value;
    if (opening.attributes === undefined) opening.attributes = [name, decoded];
    else if (opening.get(name) === undefined) opening.attributes.push(name, decoded);
  }

  onopentagend(): void {
    this.opening = undefined;
  }

  onselfclosingtag(): void {
    const { opening } = this;
    this.opening = undefined;
    if (opening !== undefined && opening === this.current && this.isInForeignContext()) this.pop();
  }

  onclosetag(start: number, end: number): void {
    this.flushText();
    const { name, flags } = this.tag(start, end);
    if ((flags & VOID) !== 0) {
      if (name === 'br') this.addBreak();
      return;
    }
    if (name === 'body' || name === 'html') return;
    if ((this.openCounts.get(name) ?? 0) === 0) return;
    const stopsAt = (flags & SPECIAL) !== 0 ? SCOPE : SPECIAL;
    for (
      let at: ElementNode | undefined = this.current;
      at !== undefined && at !== this.root;
      at = at.parent
    ) {
      if (at.name === name) {
        while (this.current !== at) this.pop();
        this.pop();
        return;
      }
      // The end of a table ends everything in it; others do not reach out of a cell.
      if ((at.flags & stopsAt) !== 0 && !isTablePart(name)) return;
    }
  }

  onattribentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
  ontextentity(): void {}

  private tag(start: number, end: number): { name: string; flags: number } {
    const written = this.source.slice(start, end);
    let known = this.names.get(written);
    if (known === undefined) {
      const lower = written.toLowerCase();
      const name = lower === 'image' ? 'img' : lower;
      known = { name, flags: tagFlags(name) };
      // A page with a million names must not keep them all.
      if (this.names.size < 1000) this.names.set(written, known);
    }
    return known;
  }

  private endImplied(name: string, flags: number): void {
    if (this.current.name === 'head' && !IN_HEAD.has(name)) this.pop();
    if (this.current === this.html && !IN_HEAD.has(name) && name !== 'head' && name !== 'body')
      this.openBody();
    if ((this.openCounts.get('p') ?? 0) > 0 && endsParagraph(name, flags)) {
      // A paragraph ends even if inline elements in it are still open.
      for (
        let at = this.current;
        at !== this.root && (at.flags & SPECIAL) === 0;
        at = at.parent as ElementNode
      )
        if (at.parent?.name === 'p') while (this.current !== at.parent) this.pop();
      if (this.current.name === 'p') this.pop();
    }
    const ends = IMPLIES_END.get(name);
    if (ends === undefined) return;
    while (ends.has(this.current.name)) this.pop();
  }

  /** A page that begins without <html> and <body> is its own body; a late tag changes nothing. */
  private hasTextBefore(): boolean {
    this.isBare ||=
      this.html === undefined &&
      this.root.children.some((child) =>
        child instanceof TextNode
          ? /\S/.test(child.text)
          : child.name !== 'head' && !IN_HEAD.has(child.name),
      );
    return this.isBare;
  }

  /** Text ends the head, and begins the body, like an element. */
  private endHead(text: string): void {
    if (this.current.name !== 'head' && this.current !== this.html) return;
    if (this.isXhtml || !/\S/.test(text)) return;
    if (this.current.name === 'head') this.pop();
    if (this.current === this.html) this.openBody();
  }

  /** Where the tag <body> is missing or late. */
  private openBody(): void {
    this.body ??= new ElementNode('body', tagFlags('body'), this.current);
    if (this.body.parent !== this.current) return;
    if (!this.current.children.includes(this.body)) {
      this.current.append(this.body);
      this.current.hasBlock = true;
    }
    this.current = this.body;
  }

  private pop(): void {
    const { name, parent } = this.current;
    if (parent === undefined) return;
    this.openCounts.set(name, (this.openCounts.get(name) ?? 1) - 1);
    if (name === 'svg' || name === 'math') this.foreignDepth--;
    this.current = parent;
  }

  private addBreak(): void {
    this.current.append(new ElementNode('br', VOID, this.current));
    this.count();
  }

  private flushText(): void {
    if (this.text === '') return;
    let text = this.text;
    this.text = '';
    if (!RAW.has(this.current.name) && text.includes('&')) text = decodeHTML(text);
    if (text.includes('\0')) text = text.replaceAll('\0', '');
    this.endHead(text);
    this.current.append(new TextNode(this.current, text));
    this.count();
  }

  private count(): void {
    if (++this.nodeCount > this.limits.maxNodes) throw tooManyNodes(this.limits);
  }
}

function isTablePart(name: string): boolean {
  return name === 'table' || name === 'tr' || name === 'tbody' || name === 'thead';
}

function isDataScript(script: ElementNode): boolean {
  return (
    script.name === 'script' &&
    (DATA_SCRIPT.test(script.get('type') ?? '') || DATA_SCRIPT.test(script.get('id') ?? ''))
  );
}

/** Marks the inline elements around a block. */
function markBlocks(from: ElementNode): void {
  for (let at: ElementNode | undefined = from; at !== undefined && !at.hasBlock; at = at.parent)
    at.hasBlock = true;
}
