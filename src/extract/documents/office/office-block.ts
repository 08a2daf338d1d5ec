/** What documents of office programs consist of, before it is written as Markdown. */

export interface OfficeRun {
  readonly text: string;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isStruck?: boolean;
  /** An address, or a place in the document. */
  readonly link?: string;
  /** Markdown that is written as it is: references of notes, formulas. */
  readonly isMarkdown?: boolean;
}

export type OfficeBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly runs: readonly OfficeRun[] }
  | { readonly kind: 'paragraph'; readonly runs: readonly OfficeRun[] }
  | {
      readonly kind: 'item';
      /** 0 for the outermost list. */
      readonly level: number;
      /** Its number as the document shows it; absent for a bullet. */
      readonly label?: string;
      readonly runs: readonly OfficeRun[];
    }
  | { readonly kind: 'table'; readonly rows: readonly (readonly OfficeCell[])[] }
  | { readonly kind: 'note'; readonly label: string; readonly blocks: readonly OfficeBlock[] };

export type OfficeCell = readonly OfficeBlock[];

export const EMPTY_CELL: OfficeCell = [];

export function textParagraph(text: string): OfficeBlock {
  return { kind: 'paragraph', runs: [{ text }] };
}

export function textHeading(level: number, text: string): OfficeBlock {
  return { kind: 'heading', level, runs: [{ text }] };
}

/** A table of plain texts. */
export function textTable(rows: readonly (readonly string[])[]): OfficeBlock {
  return {
    kind: 'table',
    rows: rows.map((row) => row.map((text) => (text === '' ? [] : [textParagraph(text)]))),
  };
}
