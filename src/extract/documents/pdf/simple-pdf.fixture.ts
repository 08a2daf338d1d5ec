import { deflateSync } from 'node:zlib';

/** Text at a place of a page, in points from the left and the bottom. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
}

export interface SimplePdfOptions {
  /** Entries of the document's catalogue, such as `/Outlines`. */
  readonly catalog?: string;
  /** Entries of each page. */
  readonly page?: string;
  /** Further objects, from number 1000. */
  readonly objects?: readonly string[];
}

/** A PDF document of pages with text in Helvetica; pdf.js finds its objects without a table. */
export function simplePdf(
  pages: readonly (readonly PlacedText[])[],
  options: SimplePdfOptions = {},
): Uint8Array {
  return pdfOf(pages.map(contentOf), options);
}

export function contentOf(texts: readonly PlacedText[]): string {
  return texts
    .map(
      ({ text, x, y, size = 10 }) =>
        `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escape(text)}) Tj ET`,
    )
    .join('\n');
}

/** A document of the content streams of its pages. */
export function pdfOf(contents: readonly string[], options: SimplePdfOptions = {}): Uint8Array {
  const { catalog = '', page = '', objects = [] } = options;
  const kids = contents.map((_, at) => `${10 + at * 2} 0 R`).join(' ');
  const parts = [
    '%PDF-1.7',
    `1 0 obj << /Type /Catalog /Pages 2 0 R ${catalog} >> endobj`,
    `2 0 obj << /Type /Pages /Count ${contents.length} /Kids [${kids}] >> endobj`,
    '3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> endobj',
  ].map((part) => Buffer.from(`${part}\n`, 'latin1'));
  for (const [at, content] of contents.entries()) {
    const number = 10 + at * 2;
    const packed = deflateSync(Buffer.from(content, 'latin1'));
    parts.push(
      Buffer.from(
        `${number} 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${number + 1} 0 R ${page} >> endobj\n` +
          `${number + 1} 0 obj << /Length ${packed.length} /Filter /FlateDecode >> stream\n`,
        'latin1',
      ),
      packed,
      Buffer.from('\nendstream endobj\n'),
    );
  }
  for (const [at, object] of objects.entries())
    parts.push(Buffer.from(`${1000 + at} 0 obj ${object} endobj\n`, 'latin1'));
  parts.push(Buffer.from('trailer << /Root 1 0 R >>\n%%EOF\n'));
  return new Uint8Array(Buffer.concat(parts));
}

function escape(text: string): string {
  return text.replace(/[\\()]/g, String.raw`\$&`);
}
