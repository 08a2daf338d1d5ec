const USUAL = 20;
const MOST = 1_000;

/** One page of a list, as every list of the interface comes. */
export function page<T>(all: readonly T[], query: URLSearchParams): object {
  const wanted = Number(query.get('limit') ?? USUAL);
  const limit = Math.min(MOST, Math.max(1, Number.isFinite(wanted) ? Math.trunc(wanted) : USUAL));
  const from = Number(Buffer.from(query.get('cursor') ?? '', 'base64').toString('utf8') || 0);
  const start = Number.isSafeInteger(from) && from >= 0 ? from : 0;
  const next = start + limit;
  return {
    items: all.slice(start, next),
    next_cursor: next < all.length ? Buffer.from(String(next)).toString('base64') : null,
    total_pages: Math.ceil(all.length / limit),
    current_page: Math.floor(start / limit) + 1,
    total_items: all.length,
  };
}
