import { appendAll } from '../office/append-all.ts';
import type { DocumentPart } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { damaged } from '../document-errors.ts';
import { textHeading, textParagraph, type OfficeBlock } from '../office/office-block.ts';
import { isPageSelected } from '../office/select-pages.ts';
import { writeOfficePart } from '../office/link-list.ts';
import { noticeEmbedded, readCoreProperties } from '../ooxml/core-properties.ts';
import { chartWorkbooks } from '../ooxml/drawing-parts.ts';
import { openOoxml, type OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { FormatReader } from '../reader.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readCommentAuthors, readSlideComments } from './slide-comments.ts';
import { readShapes } from './slide-shapes.ts';

const SLIDE_SKIPS = new Set(['sldNum', 'sldImg']);
const NOTES_SKIPS = new Set(['sldNum', 'sldImg', 'hdr', 'ftr', 'dt']);

/** Presentations: a part for each slide, in the order in which they are shown. */
export const readPptx: FormatReader = (bytes, source) => {
  const pack = openOoxml(bytes, 'PPTX', 'ppt/presentation.xml');
  const slides = slideParts(pack);
  if (slides.length === 0 && pack.part(pack.mainPart)?.name !== 'presentation')
    throw damaged('PPTX', 'it has no slides');
  const authors = readCommentAuthors(pack);
  const hidden: string[] = [];
  const parts: DocumentPart[] = [];
  slides.forEach((name, index) => {
    const slide = index + 1;
    if (!isPageSelected(slide, source.pages)) return;
    const root = pack.part(name);
    if (root !== undefined && /^(?:0|false)$/.test(root.get('show') ?? ''))
      hidden.push(`slide ${slide}`);
    const blocks = root === undefined ? [] : readSlide(pack, name, root);
    appendAll(blocks, readSlideComments(pack, name, authors));
    parts.push({ place: { is: 'slide', slide }, markdown: writeOfficePart(blocks) });
  });
  return {
    ...readCoreProperties(pack),
    pageCount: slides.length,
    parts,
    notices: [
      ...pack.notices,
      ...(hidden.length === 0 ? [] : [notice('document_hidden_parts', { parts: hidden })]),
      ...noticeEmbedded(pack, chartWorkbooks(pack)),
    ],
  };
};

function readSlide(pack: OoxmlPackage, part: string, root: XmlElement): OfficeBlock[] {
  const { title, blocks } = readShapes(root, { pack, part, skips: SLIDE_SKIPS });
  const notes = pack.related(part, 'notesSlide');
  const noted = notes === undefined ? [] : readNotes(pack, notes);
  return [
    ...(title === '' ? [] : [textHeading(1, title)]),
    ...blocks,
    ...(noted.length === 0 ? [] : [textParagraph('Notes:'), ...noted]),
  ];
}

function readNotes(pack: OoxmlPackage, part: string): OfficeBlock[] {
  const root = pack.part(part);
  if (root === undefined) return [];
  const { blocks } = readShapes(root, { pack, part, skips: NOTES_SKIPS });
  // Notes are paragraphs, although their placeholder is a body.
  return blocks.map((block) =>
    block.kind === 'item' && block.label === undefined && block.level === 0
      ? { kind: 'paragraph', runs: block.runs }
      : block,
  );
}

/** In the order of the presentation; if it names none, by their numbers. */
function slideParts(pack: OoxmlPackage): string[] {
  const relationships = pack.relationships(pack.mainPart);
  const listed = (pack.part(pack.mainPart)?.child('sldIdLst')?.elements('sldId') ?? [])
    .map((slide) => relationships.get(slide.getPrefixed('id') ?? '')?.target)
    .filter((target) => target !== undefined)
    .filter((target) => pack.archive.has(target));
  if (listed.length > 0) return listed;
  return pack.archive.entries
    .map(({ name }) => name)
    .filter((name) => /^ppt\/slides\/slide\d+\.xml$/i.test(name))
    .toSorted((one, other) => slideNumber(one) - slideNumber(other));
}

function slideNumber(name: string): number {
  return Number(/(\d+)\.xml$/i.exec(name)?.[1] ?? 0);
}
