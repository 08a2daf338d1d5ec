import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readOdfBlocks } from './odf-blocks.ts';
import type { OdfPackage } from './odf-package.ts';
import { readShape } from './odf-shapes.ts';
import { readOdfStyles, type OdfStyles } from './odf-styles.ts';

/** What the walk over an OpenDocument file shares. */
export interface OdfContext {
  readonly pack: OdfPackage;
  readonly styles: OdfStyles;
  addNote(blocks: readonly OfficeBlock[]): OfficeRun;
  addComment(annotation: XmlElement, place?: string): void;
  /** The notes and comments so far, which are then forgotten. */
  takeNotes(): OfficeBlock[];
  readBlocks(container: XmlElement, context: OdfContext): OfficeBlock[];
  readShape(shape: XmlElement, context: OdfContext): OfficeBlock[];
  /** Numbers of lists that others continue, by the name of their style. */
  readonly listCounts: Map<string, number[]>;
}

export function createOdfContext(pack: OdfPackage): OdfContext {
  const notes: OfficeBlock[] = [];
  const comments: OfficeBlock[] = [];
  let count = 0;
  const context: OdfContext = {
    pack,
    styles: readOdfStyles(pack.styleRoots),
    listCounts: new Map(),
    readBlocks: readOdfBlocks,
    readShape,
    addNote(blocks) {
      const label = String(++count);
      notes.push({ kind: 'note', label, blocks });
      return { text: `[^${label}]`, isMarkdown: true };
    },
    addComment(annotation, place) {
      const author = annotation.child('creator')?.text().trim() ?? '';
      const on = place === undefined ? '' : ` on ${place}`;
      const intro = `Comment${on}${author === '' ? '' : ` by ${author}`}: `;
      const blocks = readOdfBlocks(annotation, context);
      const runs = blocks.flatMap((block, at) =>
        block.kind === 'table' || block.kind === 'note'
          ? []
          : [...(at === 0 ? [] : [{ text: '\n' }]), ...block.runs],
      );
      if (runs.length > 0)
        comments.push({ kind: 'item', level: 0, runs: [{ text: intro }, ...runs] });
    },
    takeNotes: () => [...notes.splice(0), ...comments.splice(0)],
  };
  return context;
}
