import type { ByteView } from '../byte-view.ts';

/** Lengths of the operands of a property change (sprm), by the upper three bits of its number. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3] as const;
const TABLE_DEFINITION = 0xd608;
const TAB_CHANGE = 0xc615;

/** Visits each property change with the place of its operand; a damaged rest is left out. */
export function visitChanges(
  view: ByteView,
  visit: (change: number, operandAt: number) => void,
): void {
  let at = 0;
  while (at + 2 < view.length) {
    const change = view.u16(at);
    const kind = change >> 13;
    let length: number = OPERAND_BYTES[kind] ?? 1;
    if (kind === 6) {
      const stated = view.u8(at + 2);
      if (change === TABLE_DEFINITION) {
        if (at + 4 > view.length) return;
        length = view.u16(at + 2) + 1;
      } else if (change === TAB_CHANGE && stated === 255) return;
      else length = stated + 1;
    }
    if (at + 2 + length > view.length) return;
    visit(change, at + 2);
    at += 2 + length;
  }
}

/** Pages of 512 bytes with the properties of runs of bytes (FKP). */
export interface PropertyRun {
  readonly start: number;
  readonly end: number;
  readonly page: ByteView;
  /** The number of the run in its page. */
  readonly index: number;
  readonly runs: number;
}

const PAGE_BYTES = 512;

/** The runs of all pages, sorted by their first byte. */
export function readRuns(
  document: ByteView,
  table: ByteView,
  { at, length }: { readonly at: number; readonly length: number },
): readonly PropertyRun[] {
  if (length < 12 || at + length > table.length) return [];
  const count = Math.floor((length - 4) / 8);
  const runs: PropertyRun[] = [];
  const seen = new Set<number>();
  for (let index = 0; index < count; index++) {
    const number = table.u32(at + (count + 1) * 4 + index * 4) & 0x3f_ffff;
    if (seen.has(number) || (number + 1) * PAGE_BYTES > document.length) continue;
    seen.add(number);
    const page = document.sub(number * PAGE_BYTES, PAGE_BYTES);
    const inPage = Math.min(page.u8(PAGE_BYTES - 1), 101);
    for (let run = 0; run < inPage; run++) {
      const start = page.u32(run * 4);
      const end = page.u32(run * 4 + 4);
      if (end > start) runs.push({ start, end, page, index: run, runs: inPage });
    }
  }
  return runs.toSorted((a, b) => a.start - b.start);
}

/** The run that contains a byte. */
export function findRun<Run extends { readonly start: number; readonly end: number }>(
  runs: readonly Run[],
  offset: number,
): Run | undefined {
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle];
    if (run === undefined) return undefined;
    if (offset < run.start) high = middle - 1;
    else if (offset >= run.end) low = middle + 1;
    else return run;
  }
  return undefined;
}
