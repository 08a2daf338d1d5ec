import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import type { ListNumbers } from './numbering.ts';
import type { DocxStyles } from './styles.ts';

/** What the walk over a document shares. */
export interface DocxContext {
  readonly pack: OoxmlPackage;
  readonly styles: DocxStyles;
  readonly lists: ListNumbers;
  /** The part that is read: its relationships have its links, charts and pictures. */
  readonly part: string;
  readonly notes: DocxNotes;
  readonly comments: DocxComments;
  readonly skipped: Set<'hidden text' | 'an embedded document'>;
}

/** Collects the notes that are referred to, and gives each a number. */
export interface DocxNotes {
  refer(kind: 'footnote' | 'endnote', id: string): OfficeRun | undefined;
}

/** Follows which comments are open, to quote what they are about. */
export interface DocxComments {
  open(id: string): void;
  close(id: string): void;
  addText(text: string): void;
}

/** Reads the blocks of a body, a cell or a text box. */
export type BlockReader = (container: XmlElement, context: DocxContext) => OfficeBlock[];
