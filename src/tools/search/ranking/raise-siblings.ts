import type { RankedRow } from './best-list.ts';

/** How much a tool gains whose siblings fit a query as well as the best tool does. */
const SIBLING_SHARE = 0.4;
/** So many of the best siblings are counted, so that a server gains little by its size. */
const SIBLINGS = 3;

/**
 * Raises tools by their siblings, the tools of the same server: where several of them fit a query, it
 * is about what that server is for.
 */
export function raiseSiblings(
  found: readonly RankedRow[],
  serverOf: (row: number) => string,
): void {
  const sorted = found.toSorted((a, b) => b.score - a.score);
  const best = sorted[0]?.score ?? 0;
  if (best === 0) return;
  const byServer = new Map<string, RankedRow[]>();
  for (const each of sorted) {
    const server = serverOf(each.row);
    const siblings = byServer.get(server);
    if (!siblings) byServer.set(server, [each]);
    // One more than are counted, as none is its own sibling.
    else if (siblings.length <= SIBLINGS) siblings.push(each);
  }
  const raised: (readonly [RankedRow, number])[] = [];
  for (const each of found) {
    const siblings = byServer.get(serverOf(each.row)) ?? [];
    const others = siblings.filter((other) => other !== each).slice(0, SIBLINGS);
    const sum = others.reduce((total, { score }) => total + score, 0);
    raised.push([each, 1 + (SIBLING_SHARE * sum) / (SIBLINGS * best)]);
  }
  for (const [each, factor] of raised) each.score *= factor;
}
