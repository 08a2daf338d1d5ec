import type { PageItem } from './runs.ts';

const ONE_IDEOGRAPH = /^[\u2e80-\u9fff\uff00-\uffef〇]{1,2}$/u;
/** So many pairs of letters under each other are not an accident. */
const MIN_PAIRS = 5;

/**
 * Letters of a horizontal font that are set one under the other: vertical text of programs that
 * place each letter. They follow one another in the page's content.
 */
export function stackedItems(items: readonly PageItem[]): ReadonlySet<PageItem> {
  const stacked = new Set<PageItem>();
  let pairs = 0;
  let above: PageItem | undefined;
  for (const each of items) {
    if (each.item.str.trim() === '' || each.isVertical) continue;
    if (!ONE_IDEOGRAPH.test(each.item.str)) {
      above = undefined;
      continue;
    }
    if (above !== undefined && isUnder(above, each)) {
      stacked.add(above).add(each);
      pairs += 1;
    }
    above = each;
  }
  return pairs < MIN_PAIRS ? new Set() : stacked;
}

function isUnder({ item: above }: PageItem, { item }: PageItem): boolean {
  const size = Math.abs(item.transform[3] ?? 0);
  const across = Math.abs((item.transform[4] ?? 0) - (above.transform[4] ?? 0));
  const down = (above.transform[5] ?? 0) - (item.transform[5] ?? 0);
  // A mark between them, of another font, is as high as a letter.
  return across <= size * 0.2 && down >= size * 0.5 && down <= size * 3.2;
}
