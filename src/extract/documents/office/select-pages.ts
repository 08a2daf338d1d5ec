import type { PageRange } from '#core/extract/document.ts';

/** Whether page `number` (from 1) was asked for; without a range, all are. */
export function isPageSelected(number: number, pages: PageRange | undefined): boolean {
  return pages === undefined || (number >= pages.first && number <= pages.last);
}
