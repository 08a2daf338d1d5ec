import { destination, escapeText } from '../html/markdown/escape.ts';
import { withoutControls } from './flow-writer.ts';

const PIECE_CHARS = 4096;
const LINK_SCHEME = /^(?:https?|mailto|tel|ftp|news):/i;

/** Collects the inline Markdown of one paragraph: text, links and references. */
export class InlineBuilder {
  #raw = '';
  #parts: string[] = [];

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
    if (!LINK_SCHEME.test(url) || start > this.#parts.length) return;
    const inner = this.#parts.splice(start).join('');
    const text = inner
      .replace(/\s*\n\s*/g, ' ')
      .replace(/\\.|[[\]]/g, (match) => (match.length === 1 ? `\\${match}` : match));
    this.#parts.push(text.trim() === '' ? inner : `[${text}](${destination(url)})`);
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
