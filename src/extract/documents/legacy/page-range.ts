import type { PageRange } from '#core/extract/document.ts';

/** Whether a page, slide or sheet, numbered from 1, was asked for. */
export function isInRange(number: number, range: PageRange | undefined): boolean {
  return range === undefined || (number >= range.first && number <= range.last);
}
