import type { ByteView } from '../byte-view.ts';
import type { FileInformation } from './file-information.ts';
import type { TextPiece } from './piece-table.ts';
import { readRuns, visitChanges, type PropertyRun } from './property-changes.ts';

const DELETED = 0x0800;
const HIDDEN = 0x083c;

/** Marks the characters that a reader of the document does not see: deleted and hidden ones. */
export function markHidden(
  document: ByteView,
  table: ByteView,
  information: FileInformation,
  pieces: readonly TextPiece[],
  characters: number,
): Uint8Array {
  const marks = new Uint8Array(characters);
  const runs = readRuns(document, table, information.range('characterPages')).filter(isHidden);
  if (runs.length === 0) return marks;
  for (const piece of pieces) {
    const end = piece.offset + (piece.end - piece.start) * piece.charBytes;
    for (let at = firstAfter(runs, piece.offset); at < runs.length; at++) {
      const run = runs[at];
      if (run === undefined || run.start >= end) break;
      const from = Math.max(run.start, piece.offset) - piece.offset;
      const to = Math.min(run.end, end) - piece.offset;
      marks.fill(
        1,
        piece.start + Math.floor(from / piece.charBytes),
        piece.start + Math.floor(to / piece.charBytes),
      );
    }
  }
  return marks;
}

/** The first run that ends after a byte. */
function firstAfter(runs: readonly PropertyRun[], offset: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isHidden({ page, index, runs }: PropertyRun): boolean {
  const at = page.u8((runs + 1) * 4 + index) * 2;
  if (at === 0) return false;
  const changes = page.sub(at + 1, Math.min(page.u8(at), page.length - at - 1));
  let found = false;
  visitChanges(changes, (change, operand) => {
    if ((change === DELETED || change === HIDDEN) && changes.u8(operand) === 1) found = true;
  });
  return found;
}
