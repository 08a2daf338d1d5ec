import { FlowWriter } from '../../flow-writer.ts';
import { hyperlinkOf, InlineBuilder } from '../../inline-builder.ts';
import type { LinkAddresses } from '../../link-addresses.ts';
import type { ListMarkers } from './list-definitions.ts';
import type { ParagraphProperties, ParagraphReader } from './paragraph-properties.ts';
import type { StyleSheet } from './style-sheet.ts';

/** The characters of a Word document, and what is known of them by their position. */
export interface DocumentText {
  readonly text: string;
  readonly hidden: Uint8Array;
  readonly paragraphs: ParagraphReader;
  readonly styles: StyleSheet;
  readonly lists: ListMarkers;
  readonly links: LinkAddresses;
  /** Labels of footnotes and endnotes, by the position of their mark. */
  readonly notes: ReadonlyMap<number, string>;
  offsetOf(position: number): number;
}

/** Characters that are marks. */
const CELL_END = 0x07;
const LINE_BREAK = 0x0b;
const PAGE_BREAK = 0x0c;
const PARAGRAPH_END = 0x0d;
const COLUMN_BREAK = 0x0e;
const FIELD_START = 0x13;
const FIELD_RESULT = 0x14;
const FIELD_END = 0x15;
const FIXED_HYPHEN = 0x1e;
const FIRST_PLAIN = 0x20;
const MAX_FIELD_CODE = 5000;

interface Field {
  code: string;
  isInResult: boolean;
  url: string | undefined;
  linkStart: number;
}

/** Writes the characters from `start` to `end` as Markdown. */
export function writeDocumentText(document: DocumentText, start: number, end: number): string {
  const flow = new FlowWriter();
  const walker = new TextWalker(document, flow);
  walker.walk(start, Math.min(end, document.text.length));
  return flow.finish();
}

class TextWalker {
  readonly #document: DocumentText;
  readonly #flow: FlowWriter;
  readonly #inline: InlineBuilder;
  readonly #fields: Field[] = [];
  #codes = 0;
  #cell: string[] = [];
  #row: string[] = [];
  #lastWasCellEnd = false;

  constructor(document: DocumentText, flow: FlowWriter) {
    this.#document = document;
    this.#flow = flow;
    this.#inline = new InlineBuilder(document.links);
  }

  walk(start: number, end: number): void {
    const { text, hidden, notes } = this.#document;
    let at = start;
    while (at < end) {
      const note = notes.get(at);
      if (note !== undefined && this.#codes === 0) this.#inline.markdown(note);
      const code = text.charCodeAt(at);
      if (code < FIRST_PLAIN) {
        if (code !== CELL_END) this.#lastWasCellEnd = false;
        this.#control(code, at);
        at++;
        continue;
      }
      this.#lastWasCellEnd = false;
      let to = at + 1;
      while (
        to < end &&
        hidden[to] === hidden[at] &&
        text.charCodeAt(to) >= FIRST_PLAIN &&
        !notes.has(to)
      )
        to++;
      if (hidden[at] === 0) this.#plain(text.slice(at, to));
      at = to;
    }
    this.#endParagraph({ isInTable: false, isRowEnd: false, depth: 0, listLevel: 0, style: 0 });
    this.#endRow();
  }

  #plain(text: string): void {
    const field = this.#fields.at(-1);
    if (field !== undefined && !field.isInResult) {
      if (field.code.length < MAX_FIELD_CODE) field.code += text;
    } else if (this.#codes === 0) this.#inline.text(text);
  }

  #control(code: number, at: number): void {
    const document = this.#document;
    const properties = (): ParagraphProperties => document.paragraphs.at(document.offsetOf(at));
    switch (code) {
      case PARAGRAPH_END:
      case PAGE_BREAK:
        this.#endParagraph(properties());
        return;
      case CELL_END:
        this.#endCell(properties());
        return;
      case FIELD_START:
        this.#fields.push({ code: '', isInResult: false, url: undefined, linkStart: 0 });
        this.#codes++;
        return;
      case FIELD_RESULT:
        this.#startResult();
        return;
      case FIELD_END:
        this.#endField();
        return;
      case LINE_BREAK:
      case COLUMN_BREAK:
        this.#plain('\n');
        return;
      case 0x09:
        this.#plain('\t');
        return;
      case FIXED_HYPHEN:
        this.#plain('-');
        return;
      default: // Pictures, marks of notes, optional hyphens.
    }
  }

  #startResult(): void {
    const field = this.#fields.at(-1);
    if (field === undefined || field.isInResult) return;
    field.isInResult = true;
    this.#codes--;
    field.url = hyperlinkOf(field.code);
    field.linkStart = this.#inline.openLink();
  }

  #endField(): void {
    const field = this.#fields.pop();
    if (field === undefined) return;
    if (!field.isInResult) this.#codes--;
    else if (field.url !== undefined && this.#codes === 0)
      this.#inline.closeLink(field.linkStart, field.url);
  }

  #endParagraph(properties: ParagraphProperties): void {
    const text = this.#inline.take();
    for (const field of this.#fields) field.linkStart = 0;
    if (properties.isInTable || properties.depth > 0) {
      const marker = text.trim() === '' ? undefined : this.#marker(properties);
      this.#cell.push(marker === undefined ? text : `${marker} ${text}`);
      return;
    }
    this.#endRow();
    if (text.trim() === '') return;
    const { headingLevel, listLevel } = properties;
    const marker = headingLevel === undefined ? this.#marker(properties) : undefined;
    this.#flow.paragraph({
      text,
      ...(headingLevel !== undefined && { headingLevel }),
      ...(marker !== undefined && { list: { level: listLevel, marker } }),
    });
  }

  #marker({ list, listLevel, style }: ParagraphProperties): string | undefined {
    if (list !== undefined) return this.#document.lists.next(list, listLevel);
    const byStyle = this.#document.styles.list(style);
    return byStyle === undefined ? undefined : byStyle === 'bullet' ? '-' : '1.';
  }

  #endCell(properties: ParagraphProperties): void {
    const { paragraphs } = this.#document;
    const text = this.#inline.take();
    const isRowEnd = paragraphs.isKnown
      ? properties.isRowEnd
      : this.#lastWasCellEnd && this.#row.length > 0;
    this.#lastWasCellEnd = !isRowEnd;
    if (isRowEnd) {
      this.#endRow();
      return;
    }
    this.#row.push([...this.#cell, text].join('\n').trim());
    this.#cell = [];
  }

  #endRow(): void {
    if (this.#cell.some((each) => each.trim() !== '')) this.#row.push(this.#cell.join('\n'));
    this.#cell = [];
    if (this.#row.length > 0) this.#flow.row(this.#row);
    this.#row = [];
  }
}
