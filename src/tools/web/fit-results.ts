import type { Citation } from '#core/llm/chat.ts';
import type { SearchQuery } from '#core/llm/provider.ts';
import { isUrl } from '#core/net/is-url.ts';

const DAY_MS = 86_400_000;
/** With a day more, as dates have no time zone. */
const MAX_AGE_MS = { day: 2, week: 8, month: 32, year: 367 } as const;

/**
 * The results that fit the filters of a query, each address once. Vendors accept filters and ignore
 * some of them. A result without a date may have any.
 */
export function fitResults(
  results: readonly Citation[],
  { count, domain, recency }: SearchQuery,
  nowMs: number,
): { readonly kept: readonly Citation[]; readonly outside: number } {
  const distinct = [...new Map(results.map((each) => [each.url, unmarked(each)])).values()];
  const fitting = distinct.filter(
    (each) =>
      (domain === undefined || isOfDomain(each, domain)) &&
      (recency === undefined || !isOlder(each, nowMs - MAX_AGE_MS[recency] * DAY_MS)),
  );
  return { kept: fitting.slice(0, count), outside: distinct.length - fitting.length };
}

/** Without its mark, as no text refers to it. */
function unmarked({ title, url, text, site, date }: Citation): Citation {
  return {
    title,
    url,
    ...(text !== undefined && { text }),
    ...(site !== undefined && { site }),
    ...(date !== undefined && { date }),
  };
}

function isOfDomain({ url }: Citation, domain: string): boolean {
  if (!isUrl(url)) return false;
  const { hostname } = new URL(url);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

function isOlder({ date }: Citation, sinceMs: number): boolean {
  const at = date === undefined ? Number.NaN : Date.parse(date);
  return at < sinceMs;
}
