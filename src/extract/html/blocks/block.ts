import type { ElementNode } from '../tree/node.ts';

/** A part of the page that is kept or dropped whole, so that no inline text is ever lost. */
export type BlockKind = 'text' | 'heading' | 'code' | 'table' | 'image' | 'rule';

/** The list items and quotations around a block, innermost first. */
export interface BlockFrame {
  readonly kind: 'item' | 'quote' | 'term' | 'definition' | 'caption';
  readonly element: ElementNode;
  readonly parent: BlockFrame | undefined;
  readonly depth: number;
}

/** Sums over the text of a block or of an element. */
export interface Measure {
  /** Characters that are not white space. */
  chars: number;
  words: number;
  linkChars: number;
  links: number;
  /** Ends of sentences, in any script. */
  stops: number;
  commas: number;
  digits: number;
  capitals: number;
}

/** What an element with blocks in it adds up to. */
export interface Area {
  readonly element: ElementNode;
  readonly parent: Area | undefined;
  readonly depth: number;
  /** Class groups of the element itself. */
  readonly groups: number;
  /** The semantic element or role, as a bit of REGIONS. */
  readonly region: number;
  chars: number;
  linkChars: number;
  blocks: number;
  stops: number;
  /** Children of the most frequent form: the number of repetitions of a list of cards or posts. */
  repeats: number;
  firstBlock: number;
  lastBlock: number;
  /** The score of the density extractor. */
  score: number;
}

export interface PageBlock extends Measure {
  readonly kind: BlockKind;
  readonly index: number;
  /** Its inline nodes are children `start` to `end` of this element; of a table or code, it itself. */
  readonly element: ElementNode;
  readonly start: number;
  readonly end: number;
  readonly area: Area;
  readonly frame: BlockFrame | undefined;
  /** The link around it, as of a card. */
  readonly link: ElementNode | undefined;
  /** 1 to 6 for headings, else 0. */
  readonly level: number;
  readonly images: number;
  /** Class groups of an inline element around all of its text. */
  readonly groups: number;
  readonly isControl: boolean;
  /** Ends with the end of a sentence. */
  readonly endsSentence: boolean;
  /** Characters of the page before it. */
  readonly offset: number;
}
