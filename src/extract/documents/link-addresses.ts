const KEPT_LINK = /^(?:https?|mailto|tel|ftp|file):/i;

/**
 * The addresses of the links of a document, as a list after its text: the text of a link stays a
 * part of its sentence.
 */
export class LinkAddresses {
  readonly #texts = new Map<string, string>();

  /** `text` is inline Markdown. */
  add(url: string, text: string): void {
    const link = url.trim();
    const shown = text.replace(/\s+/g, ' ').trim();
    if (!KEPT_LINK.test(link) || shown === '' || this.#texts.has(link)) return;
    if (!bare(shown).includes(bare(link))) this.#texts.set(link, shown);
  }

  write(): string {
    if (this.#texts.size === 0) return '';
    const items = [...this.#texts].map(([link, text]) => `- ${text}: ${autolink(link)}`);
    return `Links:\n\n${items.join('\n')}`;
  }
}

/** For the comparison of an address with a text that writes it out. */
function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/\\/g, '')
    .replace(/^(?:mailto:|tel:|\w+:\/\/)(?:www\.)?/, '')
    .replace(/\/$/, '');
}

function autolink(link: string): string {
  return `<${link.replace(/[\s<>]/g, (char) => encodeURIComponent(char))}>`;
}
