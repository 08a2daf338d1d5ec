import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock } from '../office/office-block.ts';
import { readDrawingParts } from '../ooxml/drawing-parts.ts';
import { readDrawingText } from '../ooxml/drawing-text.ts';
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { XmlElement } from '../xml/xml-node.ts';

/** Text boxes, charts and diagrams over the cells of a sheet. */
export function readSheetDrawings(pack: OoxmlPackage, sheet: string): OfficeBlock[] {
  const blocks: OfficeBlock[] = [];
  for (const { type, target, isExternal } of pack.relationships(sheet).values()) {
    if (type !== 'drawing' || isExternal) continue;
    const drawing = pack.part(target);
    if (drawing === undefined) continue;
    for (const body of drawing.descendants('txBody'))
      appendAll(blocks, readDrawingText(body, { link: () => undefined, paragraphs: 'plain' }));
    appendAll(blocks, readDrawingParts(drawing, pack, target));
  }
  return blocks;
}

/** Comments with their cell and author; where a thread exists, its old form is a hint to update. */
export function readSheetComments(
  pack: OoxmlPackage,
  sheet: string,
  people: ReadonlyMap<string, string>,
): OfficeBlock[] {
  const related = (type: string): XmlElement | undefined => pack.part(pack.related(sheet, type));
  const threads = related('threadedComment')?.elements('threadedComment') ?? [];
  const blocks = threads.map((comment) =>
    commentBlock(
      comment.get('ref') ?? '',
      people.get(comment.get('personId') ?? '') ?? '',
      comment.child('text')?.text() ?? '',
    ),
  );
  const threaded = new Set(threads.map((comment) => comment.get('ref')));
  const root = related('comments');
  const authors = (root?.child('authors')?.elements('author') ?? []).map((each) => each.text());
  for (const comment of root?.child('commentList')?.elements('comment') ?? []) {
    const reference = comment.get('ref') ?? '';
    if (threaded.has(reference)) continue;
    const author = authors[Number(comment.get('authorId') ?? -1)] ?? '';
    const text = comment
      .descendants('t')
      .map((each) => each.text())
      .join('');
    blocks.push(commentBlock(reference, author, text));
  }
  return blocks.filter((block) => block !== undefined);
}

function commentBlock(cell: string, author: string, text: string): OfficeBlock | undefined {
  // Excel repeats the author in the text.
  const own = text.trim();
  if (own === '') return undefined;
  const isNamed = author.trim() === '' || own.startsWith(author.trim());
  const intro = `Comment on ${cell}${isNamed ? '' : ` by ${author.trim()}`}: `;
  return { kind: 'item', level: 0, runs: [{ text: intro + own }] };
}

export function readPeople(pack: OoxmlPackage): ReadonlyMap<string, string> {
  const people = pack.part(pack.related(pack.mainPart, 'person'))?.elements('person') ?? [];
  return new Map(people.map((each) => [each.get('id') ?? '', each.get('displayName') ?? '']));
}
