import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock } from '../office/office-block.ts';
import { readDrawingParts } from '../ooxml/drawing-parts.ts';
import { readDrawingTable } from '../ooxml/drawing-table.ts';
import { drawingLine, readDrawingText, type DrawingTextOptions } from '../ooxml/drawing-text.ts';
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { XmlElement } from '../xml/xml-node.ts';

export interface SlideContent {
  title: string;
  readonly blocks: OfficeBlock[];
}

export interface SlideContext {
  readonly pack: OoxmlPackage;
  readonly part: string;
  /** Placeholders that are not read, such as the number of the slide. */
  readonly skips: ReadonlySet<string>;
}

/** The texts of the shapes of a slide in their order, the title apart. */
export function readShapes(root: XmlElement, context: SlideContext): SlideContent {
  const content: SlideContent = { title: '', blocks: [] };
  const tree = root.path('cSld', 'spTree');
  if (tree !== undefined) addShapes(tree, context, content);
  return content;
}

function addShapes(parent: XmlElement, context: SlideContext, content: SlideContent): void {
  for (const shape of parent.elements()) {
    switch (shape.name) {
      case 'sp':
      case 'cxnSp':
        addShape(shape, context, content);
        break;
      case 'grpSp':
        addShapes(shape, context, content);
        break;
      case 'graphicFrame':
        addFrame(shape, context, content);
        break;
      case 'pic': {
        const text =
          shape.path('nvPicPr', 'cNvPr')?.get('descr')?.replace(/\s+/g, ' ').trim() ?? '';
        if (text !== '')
          content.blocks.push({ kind: 'paragraph', runs: [{ text: `Image: ${text}` }] });
        break;
      }
      case 'AlternateContent': {
        const before = content.blocks.length;
        for (const inner of shape.elements()) {
          addShapes(inner, context, content);
          if (content.blocks.length > before) break;
        }
        break;
      }
      default:
    }
  }
}

function addShape(shape: XmlElement, context: SlideContext, content: SlideContent): void {
  const body = shape.child('txBody');
  if (body === undefined) return;
  const place = shape.path('nvSpPr', 'nvPr', 'ph');
  const type = place?.get('type') ?? (place === undefined ? '' : 'body');
  if (context.skips.has(type)) return;
  if ((type === 'title' || type === 'ctrTitle') && content.title === '') {
    content.title = drawingLine(body);
    return;
  }
  const isBody = type === 'body' || type === 'obj';
  const isList = isBody && body.elements('p').filter((each) => drawingText(each)).length > 1;
  appendAll(content.blocks, readDrawingText(body, textOptions(context, isList ? 'item' : 'plain')));
}

function drawingText(paragraph: XmlElement): boolean {
  return paragraph.descendants('t').some((text) => text.text().trim() !== '');
}

function addFrame(frame: XmlElement, context: SlideContext, content: SlideContent): void {
  const { pack, part } = context;
  for (const table of frame.descendants('tbl'))
    content.blocks.push(readDrawingTable(table, textOptions(context, 'plain')));
  appendAll(content.blocks, readDrawingParts(frame, pack, part));
}

function textOptions(
  { pack, part }: SlideContext,
  paragraphs: DrawingTextOptions['paragraphs'],
): DrawingTextOptions {
  return {
    paragraphs,
    link(id) {
      const relationship = pack.relationships(part).get(id);
      return relationship?.isExternal === true ? relationship.target : undefined;
    },
  };
}
