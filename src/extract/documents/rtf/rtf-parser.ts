import { Buffer } from 'node:buffer';
import { tooLarge } from '../document-errors.ts';
import { hyperlinkOf } from '../inline-builder.ts';
import { LinkAddresses } from '../link-addresses.ts';
import { codePageDecoder } from '../legacy/code-page.ts';
import { CHARACTERS, codePageOfCharset, DESTINATIONS, TRANSPARENT } from './destinations.ts';
import { RtfSink } from './rtf-sink.ts';
import { resetParagraph, type RtfGroup } from './rtf-state.ts';
import { StyleNames } from './style-names.ts';
import { RtfTokenizer } from './tokenizer.ts';

export interface ParsedRtf {
  readonly title: string;
  readonly author: string;
  readonly markdown: string;
}

const MAX_PENDING = 4096;
const MAX_DEPTH = 20_000;
const MAX_FIELD_CODE = 5000;
const BREAKS = new Set(['par', 'sect', 'page', 'pagebb', 'column']);
const UNSHOWN: ReadonlySet<RtfGroup['destination']> = new Set(['fonts', 'info', 'skipped']);
const MAC_CODE_PAGES: Readonly<Record<string, number>> = { mac: 10_000, pc: 437, pca: 850 };

export function parseRtf(bytes: Uint8Array): ParsedRtf {
  return new RtfParser(bytes).parse();
}

class RtfParser {
  readonly #tokens: RtfTokenizer;
  readonly #links = new LinkAddresses();
  readonly #main = new RtfSink(this.#links);
  readonly #groups: RtfGroup[] = [];
  readonly #styles = new StyleNames();
  readonly #fonts = new Map<number, number>();
  readonly #notes: string[] = [];
  readonly #comments: string[] = [];
  readonly #margins = new Set<string>();
  #group: RtfGroup;
  #codePage = 1252;
  #pending: number[] = [];
  /** Characters to leave out, after a character in Unicode. */
  #skipChars = 0;
  #isGroupStart = false;
  #title = '';
  #author = '';

  constructor(bytes: Uint8Array) {
    this.#tokens = new RtfTokenizer(bytes);
    this.#group = {
      destination: 'text',
      outer: 'text',
      sink: this.#main,
      field: undefined,
      fallbackChars: 1,
      font: undefined,
      isHidden: false,
      isDeleted: false,
      isStarred: false,
      isInTable: false,
      style: 0,
      list: 0,
      listLevel: 0,
      outlineLevel: undefined,
    };
  }

  parse(): ParsedRtf {
    const tokens = this.#tokens;
    for (let token = tokens.next(); token !== 'end'; token = tokens.next()) {
      if (token === 'open') this.#open();
      else if (token === 'close') this.#close();
      else if (token === 'word') this.#word(tokens.word, tokens.param);
      else if (token === 'symbol') this.#symbol(tokens.value);
      else if (token === 'byte') this.#byte(tokens.value);
      else this.#literal(tokens.start, tokens.end);
    }
    while (this.#groups.length > 0) this.#close();
    this.#flush();
    const parts = [
      this.#main.finish(),
      this.#notes.map((note, at) => `[^${at + 1}]: ${note}`).join('\n'),
      ...this.#comments,
      ...this.#margins,
      this.#links.write(),
    ];
    return {
      title: this.#title.trim(),
      author: this.#author.trim(),
      markdown: parts.filter((part) => part !== '').join('\n\n'),
    };
  }

  #open(): void {
    this.#flush();
    if (this.#groups.length >= MAX_DEPTH) throw tooLarge('nested groups', MAX_DEPTH);
    this.#groups.push(this.#group);
    this.#group = { ...this.#group, isStarred: false };
    this.#isGroupStart = true;
    this.#skipChars = 0;
  }

  #close(): void {
    this.#flush();
    this.#skipChars = 0;
    const closed = this.#group;
    const outer = this.#groups.pop();
    if (outer === undefined) return;
    this.#group = outer;
    if (closed.sink !== outer.sink) this.#endSink(closed, outer);
    if (closed.destination === 'fieldResult' && outer.destination !== 'fieldResult') {
      const url = closed.field === undefined ? undefined : hyperlinkOf(closed.field.code);
      if (url !== undefined && closed.field !== undefined)
        closed.sink.inline.closeLink(closed.field.linkStart, url);
    }
  }

  #endSink(closed: RtfGroup, outer: RtfGroup): void {
    const markdown = closed.sink.finish();
    if (markdown === '') return;
    if (closed.destination === 'footnote') {
      this.#notes.push(markdown.replace(/\n+/g, ' '));
      outer.sink.inline.markdown(`[^${this.#notes.length}]`);
    } else if (closed.destination === 'comment') this.#comments.push(markdown);
    else if (closed.destination === 'margin') this.#margins.add(markdown);
    else outer.sink.addBox(markdown);
  }

  #word(word: string, param: number | undefined): void {
    const group = this.#group;
    const isFirst = this.#isGroupStart;
    this.#isGroupStart = false;
    if (word === 'bin') this.#tokens.skip(param ?? 0);
    else if (word === 'u') this.#unicode(param ?? 0);
    else if (word === 'uc') group.fallbackChars = Math.max(0, param ?? 1);
    else if (this.#skipChars > 0 && CHARACTERS[word] !== undefined) this.#skipChars--;
    else if ((isFirst || group.isStarred) && this.#startDestination(word)) return;
    else if (group.destination === 'fonts') this.#fontWord(word, param);
    else if (group.destination === 'styles') this.#styles.word(word, param);
    else if (group.destination !== 'skipped') this.#textWord(word, param);
    else if (word === 'ansicpg') this.#codePage = param ?? 1252;
  }

  /** Whether the word is the name of the group. */
  #startDestination(word: string): boolean {
    const group = this.#group;
    const isStarred = group.isStarred;
    group.isStarred = false;
    if (word === 'field') {
      group.field = { code: '', linkStart: group.sink.inline.openLink() };
      return true;
    }
    if (TRANSPARENT.has(word)) {
      if (word === 'ud') group.destination = group.outer;
      return true;
    }
    const destination = DESTINATIONS[word];
    if (destination === undefined) {
      if (isStarred) this.#skipGroup();
      return isStarred;
    }
    if (destination === 'skipped') this.#skipGroup();
    else if (group.destination === 'skipped') {
      if (destination === 'textBox') this.#openSink(group, destination);
    } else if (destination === 'fieldCode' || destination === 'fieldResult') {
      group.destination = destination;
      if (destination === 'fieldResult' && group.field !== undefined)
        group.field.linkStart = group.sink.inline.openLink();
    } else if (isSinkDestination(destination)) this.#openSink(group, destination);
    else group.destination = destination;
    return true;
  }

  #openSink(group: RtfGroup, destination: RtfGroup['destination']): void {
    group.destination = destination;
    group.sink = new RtfSink(this.#links);
    resetParagraph(group);
  }

  #skipGroup(): void {
    this.#group.outer = this.#group.destination;
    this.#group.destination = 'skipped';
  }

  #fontWord(word: string, param: number | undefined): void {
    const group = this.#group;
    if (word === 'f') group.font = param ?? 0;
    if (group.font === undefined) return;
    const codePage =
      word === 'cpg' ? param : word === 'fcharset' ? codePageOfCharset(param ?? 0) : undefined;
    if (codePage !== undefined) this.#fonts.set(group.font, codePage);
  }

  #textWord(word: string, param: number | undefined): void {
    const group = this.#group;
    const character = CHARACTERS[word];
    if (character !== undefined) this.#text(character);
    else if (BREAKS.has(word)) this.#endParagraph();
    else if (word === 'cell') this.#ended(() => group.sink.endCell());
    else if (word === 'nestcell') this.#ended(() => group.sink.endCellParagraph());
    else if (word === 'row') this.#ended(() => group.sink.endRow());
    else if (word === 'f') this.#setFont(param);
    else if (word === 'plain') {
      group.isHidden = false;
      group.isDeleted = false;
    } else if (word === 'v') group.isHidden = param !== 0;
    else if (word === 'deleted') group.isDeleted = param !== 0;
    else if (word === 'pard') resetParagraph(group);
    else if (word === 'intbl') group.isInTable = true;
    else if (word === 's') group.style = param ?? 0;
    else if (word === 'ls') group.list = param ?? 0;
    else if (word === 'ilvl') group.listLevel = param ?? 0;
    else if (word === 'outlinelevel') group.outlineLevel = param ?? 9;
    else if (word === 'ansicpg') this.#codePage = param ?? 1252;
    else this.#codePage = MAC_CODE_PAGES[word] ?? this.#codePage;
  }

  #setFont(font: number | undefined): void {
    this.#flush();
    this.#group.font = font;
  }

  #symbol(code: number): void {
    const group = this.#group;
    if (code === 0x2a) {
      group.isStarred = true;
      return;
    }
    this.#isGroupStart = false;
    if (code === 0x5c || code === 0x7b || code === 0x7d) this.#byte(code);
    else if (this.#skipChars > 0) this.#skipChars--;
    else if (code === 0x7e) this.#text('\u00a0');
    else if (code === 0x5f) this.#text('\u2011');
    else if (code === 0x09) this.#text('\t');
    else if ((code === 0x0a || code === 0x0d) && group.destination !== 'skipped')
      this.#endParagraph();
  }

  #byte(value: number): void {
    this.#isGroupStart = false;
    if (this.#skipChars > 0) this.#skipChars--;
    else if (this.#group.destination !== 'skipped') this.#pending.push(value);
  }

  #literal(start: number, end: number): void {
    this.#isGroupStart = false;
    const from = start + Math.min(this.#skipChars, end - start);
    this.#skipChars -= from - start;
    if (this.#group.destination === 'skipped') return;
    if (end - from > MAX_PENDING) this.#long(this.#tokens.bytes.subarray(from, end));
    else for (let at = from; at < end; at++) this.#pending.push(this.#tokens.bytes[at] ?? 0);
  }

  /** A long text is decoded at once, not byte by byte. */
  #long(bytes: Uint8Array): void {
    const first = this.#pending;
    this.#pending = [];
    this.#decode(Buffer.concat([Uint8Array.from(first), bytes]));
  }

  #unicode(value: number): void {
    this.#skipChars = this.#group.fallbackChars;
    if (this.#group.destination === 'skipped') return;
    const unit = value < 0 ? value + 65_536 : value;
    this.#text(
      unit > 0xffff ? String.fromCodePoint(Math.min(unit, 0x10_ffff)) : String.fromCharCode(unit),
    );
  }

  /** Decodes the bytes so far with the code page of their font. */
  #flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    this.#decode(bytes);
  }

  #decode(bytes: Uint8Array): void {
    const { font } = this.#group;
    const codePage = (font === undefined ? undefined : this.#fonts.get(font)) ?? this.#codePage;
    this.#write(codePageDecoder(codePage)(bytes));
  }

  #text(text: string): void {
    this.#flush();
    this.#write(text);
  }

  #write(text: string): void {
    const group = this.#group;
    if (group.destination === 'title') this.#title += text;
    else if (group.destination === 'author') this.#author += text;
    else if (group.destination === 'styles') this.#styles.text(text);
    else if (group.destination === 'listMarker') group.sink.marker += text;
    else if (group.destination === 'fieldCode') {
      if (group.field !== undefined && group.field.code.length < MAX_FIELD_CODE)
        group.field.code += text;
    } else if (!UNSHOWN.has(group.destination) && !group.isHidden && !group.isDeleted)
      group.sink.inline.text(text);
  }

  #ended(end: () => void): void {
    this.#flush();
    end();
  }

  #endParagraph(): void {
    this.#flush();
    const { sink, isInTable, outlineLevel, style, list, listLevel } = this.#group;
    if (isInTable) {
      sink.endCellParagraph();
      return;
    }
    const headingLevel =
      outlineLevel !== undefined && outlineLevel < 9
        ? outlineLevel + 1
        : this.#styles.headingLevel(style);
    sink.endParagraph({ headingLevel, listLevel: list > 0 ? listLevel : undefined });
  }
}

function isSinkDestination(destination: RtfGroup['destination']): boolean {
  return (
    destination === 'footnote' ||
    destination === 'comment' ||
    destination === 'margin' ||
    destination === 'textBox'
  );
}
