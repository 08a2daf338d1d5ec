import { appendAll } from '../office/append-all.ts';
import { writeOfficePart } from '../office/link-list.ts';
import { writeOfficeBlocks } from '../office/write-blocks.ts';
import type { FormatReader } from '../reader.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { createOdfContext, type OdfContext } from './odf-context.ts';
import { openOdf } from './odf-package.ts';
import type { OfficeBlock } from '../office/office-block.ts';

/** Texts: one part, since pages depend on the program that lays them out. */
export const readOdt: FormatReader = (bytes, source) => {
  const pack = openOdf(bytes, 'ODT', source);
  const context = createOdfContext(pack);
  const text = context.readBlocks(pack.body, context);
  const blocks = [
    ...readMargins(pack.styleRoots, 'header', context),
    ...text,
    ...readMargins(pack.styleRoots, 'footer', context),
    ...context.takeNotes(),
  ];
  return {
    ...pack.properties,
    parts: [{ place: { is: 'document' }, markdown: writeOfficePart(blocks) }],
    notices: pack.notices,
  };
};

/** Headers or footers of the pages, each text once. */
function readMargins(
  roots: readonly XmlElement[],
  kind: 'header' | 'footer',
  context: OdfContext,
): OfficeBlock[] {
  const seen = new Set<string>();
  const blocks: OfficeBlock[] = [];
  const pages = roots.flatMap((root) => root.child('master-styles')?.elements('master-page') ?? []);
  for (const page of pages)
    for (const margin of page.elements()) {
      if (!margin.name.startsWith(kind)) continue;
      const found = context.readBlocks(margin, context);
      const text = writeOfficeBlocks(found);
      // A page number alone says nothing.
      if (/^\P{L}{0,12}$/u.test(text) || seen.has(text)) continue;
      seen.add(text);
      appendAll(blocks, found);
    }
  return blocks;
}
