import { appendAll } from '../office/append-all.ts';
import type { DocumentPart } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { textHeading, textParagraph, type OfficeBlock } from '../office/office-block.ts';
import { isPageSelected } from '../office/select-pages.ts';
import { writeOfficePart } from '../office/link-list.ts';
import type { FormatReader } from '../reader.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { createOdfContext, type OdfContext } from './odf-context.ts';
import { openOdf } from './odf-package.ts';

/** Presentations: a part for each slide. */
export const readOdp: FormatReader = (bytes, source) => {
  const pack = openOdf(bytes, 'ODP', source);
  const context = createOdfContext(pack);
  const slides = pack.body.elements('page');
  const parts: DocumentPart[] = [];
  const hidden: string[] = [];
  slides.forEach((page, at) => {
    const slide = at + 1;
    if (context.styles.isHiddenPage(page.get('style-name'))) hidden.push(`slide ${slide}`);
    if (!isPageSelected(slide, source.pages)) return;
    const blocks = readSlide(page, context);
    parts.push({
      place: { is: 'slide', slide },
      markdown: writeOfficePart([...blocks, ...context.takeNotes()]),
    });
  });
  return {
    ...pack.properties,
    pageCount: slides.length,
    parts,
    notices: [
      ...pack.notices,
      ...(hidden.length === 0 ? [] : [notice('document_hidden_parts', { parts: hidden })]),
    ],
  };
};

function readSlide(page: XmlElement, context: OdfContext): OfficeBlock[] {
  let title = '';
  const blocks: OfficeBlock[] = [];
  const notes: OfficeBlock[] = [];
  for (const shape of page.elements()) {
    if (shape.name === 'notes') {
      for (const each of shape.elements()) {
        const kind = each.get('class') ?? '';
        if (!/^(?:page|page-number|header|footer|date-time)$/.test(kind))
          appendAll(notes, context.readShape(each, context));
      }
    } else if (shape.name === 'annotation') context.addComment(shape);
    else if (shape.get('class') === 'title' && title === '') {
      const found = context.readShape(shape, context);
      title = found
        .map((block) => ('runs' in block ? block.runs.map(({ text }) => text).join('') : ''))
        .join(' ')
        .trim();
    } else if (shape.name !== 'forms') appendAll(blocks, context.readShape(shape, context));
  }
  return [
    ...(title === '' ? [] : [textHeading(1, title)]),
    ...blocks,
    ...(notes.length === 0 ? [] : [textParagraph('Notes:'), ...notes]),
  ];
}
