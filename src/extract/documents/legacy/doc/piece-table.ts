import { damaged } from '../../document-errors.ts';
import { decodeUtf16, type ByteView } from '../byte-view.ts';
import { codePageDecoder, codePageOfLanguage, type DecodeBytes } from '../code-page.ts';
import type { FileInformation } from './file-information.ts';

/** Characters that are stored together: `start` to `end` in the text, from byte `offset` on. */
export interface TextPiece {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly charBytes: 1 | 2;
}

const SINGLE_BYTE = 0x4000_0000;
/** A piece can be stored once and used several times, but no program does that often. */
const MAX_CHARS_PER_BYTE = 4;

/** The pieces in the order of the text. */
export function readPieces(
  information: FileInformation,
  document: ByteView,
  table: ByteView,
): readonly TextPiece[] {
  const { at, length } = information.range('pieces');
  if (length === 0) return [wholeText(information, document)];
  const isWord6 = information.version === 'word6';
  const clx = (isWord6 ? document : table).sub(at, length);
  let start = 0;
  while (clx.u8(start) === 1) start += 3 + clx.u16(start + 1);
  if (clx.u8(start) !== 2) throw damaged('Word', 'its table of pieces is missing');
  const plc = clx.sub(start + 5, Math.min(clx.u32(start + 1), clx.length - start - 5));
  const count = Math.floor((plc.length - 4) / 12);
  const pieces: TextPiece[] = [];
  let chars = 0;
  for (let index = 0; index < count; index++) {
    const from = plc.u32(index * 4);
    const to = plc.u32(index * 4 + 4);
    const stored = plc.u32((count + 1) * 4 + index * 8 + 2);
    if (to <= from) continue;
    const isSingle = isWord6 || (stored & SINGLE_BYTE) !== 0;
    const offset = isWord6 ? stored : isSingle ? (stored & 0x3fff_ffff) >> 1 : stored;
    const charBytes = isSingle ? 1 : 2;
    const room = Math.floor((document.length - offset) / charBytes);
    const size = Math.min(to - from, Math.max(0, room));
    if (size === 0) continue;
    pieces.push({ start: from, end: from + size, offset, charBytes });
    chars += size;
    if (chars > document.length * MAX_CHARS_PER_BYTE)
      throw damaged('Word', 'its pieces of text overlap');
  }
  return pieces;
}

function wholeText({ lengths, textStart }: FileInformation, document: ByteView): TextPiece {
  const total = Object.values(lengths).reduce((sum, length) => sum + length, 0);
  const room = Math.max(0, document.length - textStart);
  return { start: 0, end: Math.min(total, room), offset: textStart, charBytes: 1 };
}

/** One code unit for each character position, so that positions are indices. */
export function readPieceText(
  pieces: readonly TextPiece[],
  document: ByteView,
  information: FileInformation,
): string {
  const decode =
    information.version === 'word6'
      ? codePageDecoder(codePageOfLanguage(information.language))
      : codePageDecoder(1252);
  const parts: string[] = [];
  let at = 0;
  for (const piece of pieces) {
    if (piece.start > at) {
      const gap = piece.start - at;
      if (gap > document.length) throw damaged('Word', 'its table of pieces has gaps');
      parts.push('\0'.repeat(gap));
    }
    if (piece.start < at) throw damaged('Word', 'its pieces of text are not in order');
    parts.push(decodePiece(piece, document, decode));
    at = piece.end;
  }
  return parts.join('');
}

function decodePiece(piece: TextPiece, document: ByteView, decode: DecodeBytes): string {
  const count = piece.end - piece.start;
  const bytes = document.slice(piece.offset, count * piece.charBytes);
  if (piece.charBytes === 2) return decodeUtf16(bytes);
  const text = decode(bytes);
  // A multi-byte encoding has fewer characters than bytes; the positions after it would be wrong.
  return text.length === count ? text : text.padEnd(count, '\0').slice(0, count);
}

/** Finds the byte of a character; positions are asked for in ascending order. */
export function createOffsets(pieces: readonly TextPiece[]): (position: number) => number {
  let index = 0;
  return (position) => {
    if (position < (pieces[index]?.start ?? 0)) index = 0;
    while (index < pieces.length - 1 && (pieces[index]?.end ?? 0) <= position) index++;
    const piece = pieces[index];
    if (piece === undefined || position < piece.start || position >= piece.end) return -1;
    return piece.offset + (position - piece.start) * piece.charBytes;
  };
}
