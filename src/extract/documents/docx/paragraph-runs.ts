import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import { readDrawingParts } from '../ooxml/drawing-parts.ts';
import { writeMath } from '../ooxml/math-text.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import type { BlockReader, DocxContext } from './docx-context.ts';
import { createFields, type DocxFields } from './fields.ts';
import { runStyle, toggle } from './styles.ts';
import { symbolText } from './symbols.ts';

export interface ParagraphContent {
  readonly runs: OfficeRun[];
  /** Text boxes, charts and diagrams that are anchored in it. */
  readonly anchored: OfficeBlock[];
}

/** The text of a paragraph: insertions are kept, deletions left out. */
export function readParagraphContent(
  paragraph: XmlElement,
  context: DocxContext,
  readBlocks: BlockReader,
): ParagraphContent {
  const reader = new RunReader(context, readBlocks);
  reader.children(paragraph, undefined);
  return { runs: reader.runs, anchored: reader.anchored };
}

class RunReader implements ParagraphContent {
  readonly runs: OfficeRun[] = [];
  readonly anchored: OfficeBlock[] = [];
  private readonly context: DocxContext;
  private readonly readBlocks: BlockReader;
  private readonly fields: DocxFields = createFields();

  constructor(context: DocxContext, readBlocks: BlockReader) {
    this.context = context;
    this.readBlocks = readBlocks;
  }

  children(element: XmlElement, link: string | undefined): void {
    for (const child of element.elements()) this.read(child, link);
  }

  private read(element: XmlElement, link: string | undefined): void {
    switch (element.name) {
      case 'r':
        this.run(element, link);
        break;
      case 'hyperlink':
        this.children(element, this.address(element.getPrefixed('id')) ?? link);
        break;
      case 'oMath':
      case 'oMathPara':
        this.runs.push({ text: ` ${writeMath(element)} `, isMarkdown: true });
        break;
      case 'commentRangeStart':
        this.context.comments.open(element.get('id') ?? '');
        break;
      case 'commentRangeEnd':
        this.context.comments.close(element.get('id') ?? '');
        break;
      case 'del':
      case 'moveFrom':
      case 'pPr':
      case 'sdtPr':
      case 'sdtEndPr':
        break;
      case 'AlternateContent':
        this.choice(element, (inner) => this.children(inner, link));
        break;
      default:
        // Insertions, smart tags, content controls, simple fields, directions.
        this.children(element, link);
    }
  }

  /** The first choice that has something to show, else the fallback: both say the same. */
  private choice(element: XmlElement, read: (inner: XmlElement) => void): void {
    const [runs, anchored] = [this.runs.length, this.anchored.length];
    for (const inner of element.elements()) {
      read(inner);
      if (this.runs.length > runs || this.anchored.length > anchored) return;
    }
  }

  private run(run: XmlElement, link: string | undefined): void {
    const properties = run.child('rPr');
    if (toggle(properties?.child('vanish')) === true) {
      if (run.child('t') !== undefined) this.context.skipped.add('hidden text');
      return;
    }
    const style = {
      ...this.context.styles.character(properties?.child('rStyle')?.get('val')),
      ...runStyle(properties),
      ...(toggle(properties?.child('strike')) === true && { isStruck: true }),
    };
    for (const child of run.elements()) this.runPart(child, run, style, link);
  }

  private runPart(
    child: XmlElement,
    run: XmlElement,
    style: Partial<OfficeRun>,
    link: string | undefined,
  ): void {
    switch (child.name) {
      case 't':
        this.text(child.text(), style, link);
        break;
      case 'tab':
      case 'ptab':
        this.text('\t', style, link);
        break;
      case 'br':
      case 'cr':
        this.text('\n', style, link);
        break;
      case 'noBreakHyphen':
        this.text('-', style, link);
        break;
      case 'sym':
        this.text(symbolText(child.get('char') ?? '', child.get('font') ?? ''), style, link);
        break;
      case 'fldChar':
        this.text(this.fields.mark(child), style, link);
        break;
      case 'instrText':
        this.fields.addInstruction(child.text());
        break;
      case 'footnoteReference':
      case 'endnoteReference': {
        const kind = child.name === 'endnoteReference' ? 'endnote' : 'footnote';
        const reference = this.context.notes.refer(kind, child.get('id') ?? '');
        if (reference !== undefined) this.runs.push(reference);
        break;
      }
      case 'ruby':
        this.ruby(child, style, link);
        break;
      case 'AlternateContent':
        this.choice(child, (inner) => {
          for (const each of inner.elements()) this.runPart(each, run, style, link);
        });
        break;
      case 'drawing':
      case 'pict':
      case 'object':
        this.drawing(child);
        break;
      default:
    }
  }

  private text(text: string, style: Partial<OfficeRun>, link: string | undefined): void {
    if (text === '' || this.fields.isInInstruction()) return;
    const address = link ?? this.fields.link();
    this.context.comments.addText(text);
    this.runs.push({ ...style, text, ...(address !== undefined && { link: address }) });
  }

  /** The reading of characters is in brackets after them. */
  private ruby(ruby: XmlElement, style: Partial<OfficeRun>, link: string | undefined): void {
    const base = ruby.child('rubyBase');
    const reading = ruby.child('rt');
    if (base !== undefined) this.children(base, link);
    const text =
      reading
        ?.descendants('t')
        .map((each) => each.text())
        .join('') ?? '';
    if (text !== '') this.text(`(${text})`, style, link);
  }

  private drawing(drawing: XmlElement): void {
    const { context } = this;
    for (const box of drawing.descendants('txbxContent'))
      appendAll(this.anchored, this.readBlocks(box, context));
    appendAll(this.anchored, readDrawingParts(drawing, context.pack, context.part));
    for (const path of drawing.descendants('textpath')) {
      const text = path.get('string') ?? '';
      if (text.trim() !== '') this.anchored.push({ kind: 'paragraph', runs: [{ text }] });
    }
    const alternative = pictureText(drawing);
    if (alternative !== '')
      this.anchored.push({ kind: 'paragraph', runs: [{ text: `Image: ${alternative}` }] });
  }

  private address(id: string | undefined): string | undefined {
    if (id === undefined) return undefined;
    const relationship = this.context.pack.relationships(this.context.part).get(id);
    return relationship?.isExternal === true ? relationship.target : undefined;
  }
}

/** The alternative text of a picture, as its author wrote it. */
function pictureText(drawing: XmlElement): string {
  if (drawing.descendants('pic').length === 0) return '';
  const texts = drawing.descendants('docPr').map((each) => each.get('descr') ?? '');
  return texts.join(' ').replace(/\s+/g, ' ').trim();
}
