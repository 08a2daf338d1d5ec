import type { Notice } from './notices.ts';

/**
 * A notice of another process: what it says, and the same as data. Another version may have codes and parameters that
 * this one does not know; then the text is shown.
 */
export interface SentNotice {
  readonly text: string;
  readonly data?: Notice;
}

/** As they are sent: the texts, which every version understands, and the data in the same order. */
export function writeNotices(notices: readonly SentNotice[]) {
  return {
    notices: notices.map(({ text }) => text),
    notice_data: notices.map(({ data }) => data ?? null),
  };
}

/** What another version sends may lack the data. The tables of sentences stay unloaded: the shim reads these, too. */
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
