import { TextNode, type ElementNode, type TreeNode } from '../tree/node.ts';
import { SKIPPED } from '../tree/tags.ts';
import { isHiddenElement } from './hidden.ts';

/** Counts the characters of inline text once; every later stage reads the sums. */
export class TextCounter {
  chars = 0;
  words = 0;
  linkChars = 0;
  links = 0;
  stops = 0;
  commas = 0;
  digits = 0;
  capitals = 0;
  images = 0;
  last = 0;
  controlChars = 0;
  private isInWord = false;

  reset(): void {
    this.chars = 0;
    this.words = 0;
    this.linkChars = 0;
    this.links = 0;
    this.stops = 0;
    this.commas = 0;
    this.digits = 0;
    this.capitals = 0;
    this.images = 0;
    this.last = 0;
    this.controlChars = 0;
    this.isInWord = false;
  }

  get endsSentence(): boolean {
    return isStop(this.last);
  }

  /** The text below a node, without what is skipped or hidden. */
  add(node: TreeNode, inLink: 'link' | 'text'): void {
    if (node instanceof TextNode) {
      const before = this.chars;
      this.addText(node.text);
      if (inLink === 'link') this.linkChars += this.chars - before;
      return;
    }
    if (node.name === 'img' || node.name === 'picture') this.images++;
    if (node.name === 'br') this.isInWord = false;
    if ((node.flags & SKIPPED) !== 0 || isHiddenElement(node)) return;
    const isLink = node.name === 'a' && node.get('href') !== undefined;
    if (isLink) this.links++;
    const before = this.chars;
    this.addChildren(node, isLink ? 'link' : inLink);
    if (node.name === 'button' || node.name === 'label') this.controlChars += this.chars - before;
  }

  addChildren(element: ElementNode, inLink: 'link' | 'text'): void {
    for (const child of element.children) this.add(child, inLink);
  }

  private addText(text: string): void {
    let { chars, words, stops, commas, digits, capitals, last, isInWord } = this;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c <= 32 || c === 0xa0) {
        isInWord = false;
        continue;
      }
      chars++;
      last = c;
      if ((c >= 97 && c <= 122) || (c > 0xbf && c < 0x2000)) {
        if (!isInWord) words++;
        isInWord = true;
        if (c > 0x600 && isStop(c)) stops++;
        else if (c === 0x60c) commas++;
      } else if (c >= 65 && c <= 90) {
        capitals++;
        if (!isInWord) words++;
        isInWord = true;
      } else if (c >= 48 && c <= 57) {
        digits++;
        if (!isInWord) words++;
        isInWord = true;
      } else if (c >= 0x2e80) {
        // Scripts without spaces have about two characters a word; their full stops are here, too.
        if (isStop(c)) stops++;
        else if (c === 0x3001 || c === 0xff0c) commas++;
        words += 0.5;
      } else if (isStop(c)) stops++;
      else if (c === 44 || c === 59) commas++;
    }
    this.chars = chars;
    this.words = words;
    this.stops = stops;
    this.commas = commas;
    this.digits = digits;
    this.capitals = capitals;
    this.last = last;
    this.isInWord = isInWord;
  }
}

/** Full stops, question and exclamation marks of Latin, CJK, Arabic, Devanagari, and an ellipsis. */
function isStop(c: number): boolean {
  return (
    c === 46 ||
    c === 33 ||
    c === 63 ||
    c === 0x3002 ||
    c === 0xff01 ||
    c === 0xff1f ||
    c === 0x2026 ||
    c === 0x61f ||
    c === 0x6d4 ||
    c === 0x964
  );
}
