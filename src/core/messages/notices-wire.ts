import type { Notice } from './notices.ts';

/**
 * A notice from another process, as text and as data. Another version may have unknown codes and
 * parameters; then the text is shown.
 */
export interface SentNotice {
  readonly text: string;
  readonly data?: Notice;
}

/** Notices on the wire: texts, which every version understands, and the data in the same order. */
export function writeNotices(notices: readonly SentNotice[]) {
  return {
    notices: notices.map(({ text }) => text),
    notice_data: notices.map(({ data }) => data ?? null),
  };
}

/**
 * Data from another version may be missing. Does not load the sentence tables, as the shim uses it,
 * too.
 */
export function readNotices(sent: unknown): readonly SentNotice[] {
  const { notices, notice_data: data } = (sent ?? {}) as {
    readonly notices?: unknown;
    readonly notice_data?: unknown;
  };
  if (!Array.isArray(notices)) return [];
  const known: readonly unknown[] =
    Array.isArray(data) && data.length === notices.length ? data : [];
  return notices.flatMap((text: unknown, at) => {
    if (typeof text !== 'string') return [];
    const each = known[at];
    return [isCoded(each) ? { text, data: each } : { text }];
  });
}

function isCoded(value: unknown): value is Notice {
  const { code, params } = (value ?? {}) as { readonly code?: unknown; readonly params?: unknown };
  return typeof code === 'string' && typeof params === 'object' && params !== null;
}
