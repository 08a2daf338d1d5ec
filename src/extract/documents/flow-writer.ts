import { escapeLineStart } from '../html/markdown/escape.ts';
import { markdownTable } from './markdown-table.ts';

export interface FlowParagraph {
  /** Inline Markdown; `\n` is a line break. */
  readonly text: string;
  /** 1 to 9; absent for other paragraphs. */
  readonly headingLevel?: number;
  readonly list?: { readonly level: number; readonly marker: string };
}

/** Writes paragraphs, list items and rows of tables, as they come, as Markdown. */
export class FlowWriter {
  readonly #blocks: string[] = [];
  #rows: (readonly string[])[] = [];
  #items: string[] = [];

  paragraph({ text, headingLevel, list }: FlowParagraph): void {
    const trimmed = text.replace(/[ \t]+\n/g, '\n').trim();
    if (trimmed === '') return;
    this.#endTable();
    if (headingLevel !== undefined) {
      this.#endList();
      this.#blocks.push(
        `${'#'.repeat(Math.min(headingLevel, 6))} ${trimmed.replace(/\s*\n\s*/g, ' ')}`,
      );
    } else if (list !== undefined) {
      const indent = '  '.repeat(Math.min(list.level, 8));
      this.#items.push(`${indent}${list.marker} ${trimmed.replace(/\s*\n\s*/g, ' ')}`);
    } else {
      this.#endList();
      this.#blocks.push(trimmed.split('\n').map(escapeLineStart).join('  \n'));
    }
  }

  row(cells: readonly string[]): void {
    if (cells.every((cell) => cell.trim() === '')) return;
    this.#endList();
    this.#rows.push(cells);
  }

  /** A block that is Markdown already. */
  block(markdown: string): void {
    this.#endList();
    this.#endTable();
    if (markdown.trim() !== '') this.#blocks.push(markdown.trim());
  }

  finish(): string {
    this.#endList();
    this.#endTable();
    return this.#blocks.join('\n\n');
  }

  #endTable(): void {
    if (this.#rows.length > 0) this.#blocks.push(markdownTable(this.#rows));
    this.#rows = [];
  }

  #endList(): void {
    if (this.#items.length > 0) this.#blocks.push(this.#items.join('\n'));
    this.#items = [];
  }
}

/** Control characters that no text contains, apart from tabs and line breaks. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is removed
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, '');
}
