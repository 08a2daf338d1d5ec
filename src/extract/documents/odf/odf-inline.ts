import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import { XmlElement } from '../xml/xml-node.ts';
import type { OdfContext } from './odf-context.ts';

export interface OdfInline {
  readonly runs: OfficeRun[];
  /** Text boxes, charts and tables that are anchored in it. */
  readonly anchored: OfficeBlock[];
}

const MAX_SPACES = 1000;
/** White space around line breaks and at the start is layout of the file. */
const SPACE = /[\t\n\r ]+/g;

/** The text of a paragraph or heading. */
export function readOdfInline(paragraph: XmlElement, context: OdfContext): OdfInline {
  const inline: OdfInline = { runs: [], anchored: [] };
  addChildren(paragraph, {}, inline, context);
  return inline;
}

function addChildren(
  element: XmlElement,
  style: Partial<OfficeRun>,
  inline: OdfInline,
  context: OdfContext,
): void {
  for (const child of element.children) {
    if (child instanceof XmlElement) addElement(child, style, inline, context);
    else inline.runs.push({ ...style, text: child.replace(SPACE, ' ') });
  }
}

function addElement(
  element: XmlElement,
  style: Partial<OfficeRun>,
  inline: OdfInline,
  context: OdfContext,
): void {
  const { runs } = inline;
  switch (element.name) {
    case 'span':
      addChildren(
        element,
        { ...style, ...context.styles.text(element.get('style-name')) },
        inline,
        context,
      );
      break;
    case 'a': {
      const link = element.get('href');
      addChildren(element, link === undefined ? style : { ...style, link }, inline, context);
      break;
    }
    case 's':
      runs.push({
        ...style,
        text: ' '.repeat(Math.min(Math.max(Number(element.get('c') ?? 1) || 1, 1), MAX_SPACES)),
      });
      break;
    case 'tab':
      runs.push({ ...style, text: '\t' });
      break;
    case 'line-break':
      runs.push({ ...style, text: '\n' });
      break;
    case 'note': {
      const body = element.child('note-body');
      if (body !== undefined) runs.push(context.addNote(context.readBlocks(body, context)));
      break;
    }
    case 'annotation':
      context.addComment(element);
      break;
    case 'ruby':
      addChildren(element.child('ruby-base') ?? element, style, inline, context);
      runs.push({ ...style, text: `(${element.child('ruby-text')?.text() ?? ''})` });
      break;
    case 'frame':
    case 'g':
    case 'custom-shape':
    case 'rect':
    case 'ellipse':
    case 'circle':
    case 'line':
    case 'connector':
    case 'polygon':
    case 'polyline':
    case 'path':
    case 'caption':
      addAnchored(element, inline, context);
      break;
    case 'tracked-changes':
    case 'annotation-end':
    case 'event-listeners':
    case 'title':
    case 'desc':
      break;
    default:
      addChildren(element, style, inline, context);
  }
}

function addAnchored(element: XmlElement, inline: OdfInline, context: OdfContext): void {
  for (const block of context.readShape(element, context)) {
    // A formula is a part of its sentence.
    const isFormula = block.kind === 'paragraph' && block.runs.every((run) => run.isMarkdown);
    if (isFormula) inline.runs.push({ text: ' ' }, ...block.runs, { text: ' ' });
    else inline.anchored.push(block);
  }
}
