import { escapeText } from '../html/markdown/escape.ts';
import { withoutControls } from './flow-writer.ts';
import type { LinkAddresses } from './link-addresses.ts';

const PIECE_CHARS = 4096;

/** Collects the inline Markdown of one paragraph: text, links and references. */
export class InlineBuilder {
  readonly #links: LinkAddresses;
  #raw = '';
  #parts: string[] = [];

  constructor(links: LinkAddresses) {
    this.#links = links;
  }

  /** Text as it is; what Markdown would read otherwise is escaped. */
  text(text: string): void {
    this.#raw += text;
  }

  markdown(markdown: string): void {
    this.#endText();
    this.#parts.push(markdown);
  }

  /** Where a link starts, for `closeLink`. */
  openLink(): number {
    this.#endText();
    return this.#parts.length;
  }

  closeLink(start: number, url: string): void {
    this.#endText();
    this.#links.add(url, this.#parts.slice(start).join(''));
  }

  get isEmpty(): boolean {
    return this.#raw === '' && this.#parts.length === 0;
  }

  /** The Markdown so far; the builder is empty after it. */
  take(): string {
    this.#endText();
    const all = this.#parts.join('');
    this.#parts = [];
    return all;
  }

  #endText(): void {
    if (this.#raw === '') return;
    this.#parts.push(escapeInline(withoutControls(this.#raw)));
    this.#raw = '';
  }
}

/** Escapes in pieces, as the time of each grows faster than its length. */
export function escapeInline(text: string): string {
  if (text.length <= PIECE_CHARS) return escapeText(text, 'text');
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARS)
    pieces.push(escapeText(text.slice(at, at + PIECE_CHARS), 'text'));
  return pieces.join('');
}

/** The address in the code of a field: `HYPERLINK "https://…" \o "…"`. */
export function hyperlinkOf(code: string): string | undefined {
  const match = /^\s*HYPERLINK\s+(?:"([^"]{1,4000})"|([^\s"\\]{1,4000}))/i.exec(code);
  return match?.[1] ?? match?.[2];
}
