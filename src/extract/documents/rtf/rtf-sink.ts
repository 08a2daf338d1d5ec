import { FlowWriter } from '../flow-writer.ts';
import { InlineBuilder } from '../inline-builder.ts';
import type { LinkAddresses } from '../link-addresses.ts';

export interface RtfParagraphStyle {
  readonly headingLevel: number | undefined;
  readonly listLevel: number | undefined;
}

const NUMBER_MARKER = /^\(?(\d{1,9})[.)]$/;

/** Where text goes: the document, a footnote, a header. */
export class RtfSink {
  readonly inline: InlineBuilder;
  marker = '';
  readonly #flow = new FlowWriter();
  #cell: string[] = [];
  #row: string[] = [];
  #boxes: string[] = [];

  constructor(links: LinkAddresses) {
    this.inline = new InlineBuilder(links);
  }

  /** The text of a box is written after the paragraph that it is attached to. */
  addBox(markdown: string): void {
    if (markdown !== '') this.#boxes.push(markdown);
  }

  endParagraph({ headingLevel, listLevel }: RtfParagraphStyle): void {
    this.endRow();
    const text = this.inline.take();
    const marker = this.marker.trim();
    this.marker = '';
    const number = NUMBER_MARKER.exec(marker)?.[1];
    const isBullet = number === undefined && marker.length <= 1;
    if (headingLevel !== undefined)
      this.#flow.paragraph({
        text: marker === '' || isBullet ? text : `${marker} ${text}`,
        headingLevel,
      });
    else if (listLevel !== undefined || marker !== '')
      this.#flow.paragraph({
        text: number !== undefined || isBullet ? text : `${marker} ${text}`,
        list: { level: listLevel ?? 0, marker: number === undefined ? '-' : `${number}.` },
      });
    else this.#flow.paragraph({ text });
    for (const box of this.#boxes) this.#flow.block(box);
    this.#boxes = [];
  }

  endCellParagraph(): void {
    const marker = this.marker.trim();
    this.marker = '';
    this.#cell.push(`${marker} ${this.inline.take()}`.trim());
  }

  endCell(): void {
    this.endCellParagraph();
    this.#row.push(this.#cell.join('\n').trim());
    this.#cell = [];
  }

  endRow(): void {
    if (this.#cell.length > 0) this.#row.push(this.#cell.join('\n').trim());
    this.#cell = [];
    if (this.#row.length > 0) this.#flow.row(this.#row);
    this.#row = [];
  }

  finish(): string {
    if (this.#row.length > 0 || this.#cell.length > 0) {
      if (!this.inline.isEmpty) this.endCell();
      this.endRow();
    }
    this.endParagraph({ headingLevel: undefined, listLevel: undefined });
    return this.#flow.finish();
  }
}
