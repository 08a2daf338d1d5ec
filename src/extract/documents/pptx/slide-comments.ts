import type { OfficeBlock } from '../office/office-block.ts';
import { drawingLine } from '../ooxml/drawing-text.ts';
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { XmlElement } from '../xml/xml-node.ts';

/** Comments on a slide, of both generations of PowerPoint, with the names of their authors. */
export function readSlideComments(
  pack: OoxmlPackage,
  slide: string,
  authors: ReadonlyMap<string, string>,
): OfficeBlock[] {
  const blocks: OfficeBlock[] = [];
  for (const { type, target, isExternal } of pack.relationships(slide).values()) {
    if (type !== 'comments' || isExternal) continue;
    const comments = pack.part(target)?.elements('cm') ?? [];
    for (const comment of comments.flatMap(withReplies)) {
      const body = comment.child('txBody');
      const text = comment.child('text')?.text() ?? (body === undefined ? '' : drawingLine(body));
      const author = authors.get(comment.get('authorId') ?? '') ?? '';
      const intro = `Comment${author === '' ? '' : ` by ${author}`}: `;
      if (text.trim() !== '')
        blocks.push({ kind: 'item', level: 0, runs: [{ text: `${intro}${text}` }] });
    }
  }
  return blocks;
}

function withReplies(comment: XmlElement): XmlElement[] {
  return [comment, ...(comment.child('replyLst')?.elements('reply') ?? [])];
}

export function readCommentAuthors(pack: OoxmlPackage): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { type, target, isExternal } of pack.relationships(pack.mainPart).values()) {
    if ((type !== 'commentAuthors' && type !== 'authors') || isExternal) continue;
    for (const author of pack.part(target)?.elements() ?? [])
      names.set(author.get('id') ?? '', author.get('name')?.trim() ?? '');
  }
  return names;
}
