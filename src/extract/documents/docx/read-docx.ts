import { appendAll } from '../office/append-all.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { damaged } from '../document-errors.ts';
import type { OfficeBlock } from '../office/office-block.ts';
import { writeOfficePart } from '../office/link-list.ts';
import { writeOfficeBlocks } from '../office/write-blocks.ts';
import { noticeEmbedded, readCoreProperties } from '../ooxml/core-properties.ts';
import { chartWorkbooks } from '../ooxml/drawing-parts.ts';
import { openOoxml, type OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { FormatReader } from '../reader.ts';
import { readDocxBlocks } from './body.ts';
import type { DocxContext } from './docx-context.ts';
import { createComments, createNotes } from './notes.ts';
import { createListNumbers } from './numbering.ts';
import { readStyles } from './styles.ts';

/** Word documents: one part, since pages depend on the program that lays them out. */
export const readDocx: FormatReader = (bytes) => {
  const pack = openOoxml(bytes, 'DOCX', 'word/document.xml');
  const { mainPart } = pack;
  const root = pack.requirePart(mainPart);
  const bodies = root.elements('body');
  if (bodies.length === 0) throw damaged('DOCX', 'it has no body');
  const related = (type: string): string | undefined => pack.related(mainPart, type);
  const notes = createNotes((kind) => related(`${kind}s`));
  const comments = createComments();
  const context: DocxContext = {
    pack,
    styles: readStyles(pack.part(related('styles'))),
    lists: createListNumbers(pack.part(related('numbering'))),
    part: mainPart,
    notes,
    comments,
    skipped: new Set(),
  };
  const text = bodies.flatMap((body) => readDocxBlocks(body, context));
  const blocks = [
    ...readMargins(context, 'header'),
    ...text,
    ...readMargins(context, 'footer'),
    ...notes.blocks(context),
    ...comments.blocks(context, related('comments')),
  ];
  return {
    ...readCoreProperties(pack),
    parts: [{ place: { is: 'document' }, markdown: writeOfficePart(blocks) }],
    notices: [...pack.notices, ...skippedParts(pack, context)],
  };
};

/** Headers or footers, each text once. */
function readMargins(context: DocxContext, type: 'header' | 'footer'): OfficeBlock[] {
  const seen = new Set<string>();
  const blocks: OfficeBlock[] = [];
  for (const relationship of context.pack.relationships(context.part).values()) {
    if (relationship.type !== type || relationship.isExternal) continue;
    const part = relationship.target;
    const root = context.pack.part(part);
    if (root === undefined) continue;
    const found = readDocxBlocks(root, { ...context, part });
    const text = writeOfficeBlocks(found);
    // A page number alone says nothing.
    if (/^[\P{L}]{0,12}$/u.test(text) || seen.has(text)) continue;
    seen.add(text);
    appendAll(blocks, found);
  }
  return blocks;
}

function skippedParts(pack: OoxmlPackage, { skipped }: DocxContext): Notice[] {
  const parts = [...skipped];
  return [
    ...(parts.length === 0 ? [] : [notice('document_parts_not_read', { parts })]),
    ...noticeEmbedded(pack, chartWorkbooks(pack)),
  ];
}
