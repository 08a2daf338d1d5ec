import type { Line } from './lines.ts';
import type { PageLayout } from './page-layout.ts';

/** Finds headers and footers: first and last lines that several pages have at the same place. */
export interface RunningLines {
  add(layout: PageLayout): void;
  has(line: Line): boolean;
}

/** Lines at the top and at the bottom of a page that are compared. */
const LINES_AT_EDGE = 2;
const MIN_PAGES = 2;
/** Points; lines nearer to each other have the same place. */
const SAME_PLACE = 4;

export function createRunningLines(): RunningLines {
  const pages = new Map<string, number>();
  return {
    add({ blocks }) {
      const lines = blocks.flat().toSorted((a, b) => a.y - b.y);
      const edges = [...lines.slice(0, LINES_AT_EDGE), ...lines.slice(-LINES_AT_EDGE)];
      for (const key of new Set(edges.map(keyOf))) pages.set(key, (pages.get(key) ?? 0) + 1);
    },
    has: (line) => (pages.get(keyOf(line)) ?? 0) >= MIN_PAGES,
  };
}

/** The number of the page differs. */
function keyOf({ y, segments }: Line): string {
  const text = segments.map((segment) => segment.text).join(' ');
  return `${Math.round(y / SAME_PLACE)} ${text.replace(/\d+/g, '0')}`;
}
