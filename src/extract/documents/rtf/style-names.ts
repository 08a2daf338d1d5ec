const MAX_NAME = 200;

/** The style sheet: which styles are headings. */
export class StyleNames {
  readonly #levels = new Map<number, number>();
  #style = 0;
  #name = '';

  word(word: string, param: number | undefined): void {
    if (word === 's') {
      this.#style = param ?? 0;
      this.#name = '';
    }
    if (word === 'outlinelevel' && param !== undefined && param < 9)
      this.#levels.set(this.#style, param + 1);
  }

  text(text: string): void {
    if (this.#name.length < MAX_NAME) this.#name += text;
    if (!text.includes(';')) return;
    const level = /^\s*heading\s+(\d)/i.exec(this.#name)?.[1];
    if (level !== undefined) this.#levels.set(this.#style, Number(level));
    else if (/^\s*title\s*;/i.test(this.#name)) this.#levels.set(this.#style, 1);
    this.#name = '';
    this.#style = 0;
  }

  headingLevel(style: number): number | undefined {
    return style === 0 ? undefined : this.#levels.get(style);
  }
}
