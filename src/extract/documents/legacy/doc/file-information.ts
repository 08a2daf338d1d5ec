import { damaged, needsPassword, unsupported } from '../../document-errors.ts';
import type { ByteView } from '../byte-view.ts';

/** A structure in the table stream. */
export interface StoredRange {
  readonly at: number;
  readonly length: number;
}

/** What the file information block (FIB) of a Word document says. */
export interface FileInformation {
  readonly version: 'word97' | 'word6';
  readonly tableStream: '0Table' | '1Table';
  readonly language: number;
  /** Where the text of a document without a table of pieces is. */
  readonly textStart: number;
  /** Lengths, in characters, of the texts that follow each other. */
  readonly lengths: {
    readonly main: number;
    readonly footnotes: number;
    readonly headers: number;
    readonly macros: number;
    readonly comments: number;
    readonly endnotes: number;
    readonly textBoxes: number;
    readonly headerTextBoxes: number;
  };
  range(name: keyof typeof RANGES): StoredRange;
}

/** Numbers of the pairs of offset and length in Word 97 and later. */
const RANGES = {
  styles: 1,
  footnoteMarks: 2,
  footnoteTexts: 3,
  commentMarks: 4,
  commentTexts: 5,
  headerTexts: 11,
  characterPages: 12,
  paragraphPages: 13,
  pieces: 33,
  endnoteMarks: 46,
  endnoteTexts: 47,
  lists: 73,
  listOverrides: 74,
} as const;

const FIRST_RANGE = 154;
const WORD6_PIECES = 0x160;
const MAX_CHARACTERS = 0x7fff_ffff;

export function readFileInformation(view: ByteView): FileInformation {
  const mark = view.u16(0);
  const version = view.u16(2);
  if (mark !== 0xa5ec && mark !== 0xa5dc)
    throw mark === 0xa5db || mark === 0xa59b || mark === 0xa59c
      ? unsupported('Word', 'it is of Word 2 or older; save it as .docx')
      : damaged('Word', 'its file information block is missing');
  const flags = view.u16(10);
  if ((flags & 0x0100) !== 0) throw needsPassword('Word', 'missing');
  const isWord6 = mark === 0xa5dc || version < 0xc0;
  const length = (at: number): number => Math.min(view.u32(at), MAX_CHARACTERS);
  const from = isWord6 ? 0x34 : 0x4c;
  return {
    version: isWord6 ? 'word6' : 'word97',
    tableStream: (flags & 0x0200) === 0 ? '0Table' : '1Table',
    language: view.u16(6),
    textStart: view.u32(0x18),
    lengths: {
      main: length(from),
      footnotes: length(from + 4),
      headers: length(from + 8),
      macros: length(from + 12),
      comments: length(from + 16),
      endnotes: length(from + 20),
      textBoxes: length(from + 24),
      headerTextBoxes: length(from + 28),
    },
    range: (name) => {
      if (isWord6)
        return name === 'pieces' && (flags & 0x0004) !== 0
          ? { at: view.u32(WORD6_PIECES), length: view.u32(WORD6_PIECES + 4) }
          : { at: 0, length: 0 };
      const at = FIRST_RANGE + RANGES[name] * 8;
      return at + 8 > view.length
        ? { at: 0, length: 0 }
        : { at: view.u32(at), length: view.u32(at + 4) };
    },
  };
}
