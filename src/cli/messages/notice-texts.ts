import type { Envelope } from '#core/envelope.schema.ts';
import type { Renderer } from '#core/messages/coded.ts';
import { fix } from '#core/messages/fixes.ts';
import { isNotice } from '#core/messages/notices.ts';
import { readNotices, type SentNotice } from '#core/messages/notices-wire.ts';

/** The notices about how models were asked, without those that the answer shows itself. */
export function routeNotices({ route, ...envelope }: Partial<Envelope>): readonly SentNotice[] {
  return notShown(readNotices(route), envelope);
}

/** Without those that the answer shows itself, as the answer of `status` does. */
export function notShown(notices: readonly SentNotice[], envelope: unknown): readonly SentNotice[] {
  const { notice_data: data } = (envelope ?? {}) as { readonly notice_data?: unknown };
  const shown = new Set((Array.isArray(data) ? data : []).map((each) => JSON.stringify(each)));
  return notices.filter(({ data: own }) => own === undefined || !shown.has(JSON.stringify(own)));
}

/** Their texts on a surface, each once. What this version does not know is told as it came. */
export function textsOf(
  notices: readonly SentNotice[],
  renderer: Pick<Renderer, 'notice'>,
): readonly string[] {
  return [...new Set(notices.map((each) => textOf(each, renderer)))];
}

export function textOf({ text, data }: SentNotice, renderer: Pick<Renderer, 'notice'>): string {
  try {
    return isNotice(data) ? renderer.notice(data) : text;
  } catch {
    // Another version may have other parameters for the same code.
    return text;
  }
}

/** What an answer says beside its content: its notices, or a text of a tool that has no codes for it. */
export function besideAnswer(
  { detail, notice_data: data = [], page }: Partial<Envelope>,
  renderer: Pick<Renderer, 'notice'>,
): readonly string[] {
  const sent: readonly unknown[] = Array.isArray(data) ? data : [];
  const known = sent.flatMap((each) => (isNotice(each) ? [{ text: '', data: each }] : []));
  if (known.length > 0) return textsOf(known, renderer);
  // The note about a page names a tool; the command for it is told apart.
  return detail === undefined || page ? [] : [detail];
}

/** How to read the rest of an answer that was too long; nothing for any other. */
export function pageText(envelope: unknown, renderer: Pick<Renderer, 'fixes'>): readonly string[] {
  const { page } = (envelope ?? {}) as Partial<Envelope>;
  if (typeof page?.id !== 'string' || typeof page.next !== 'number') return [];
  const rest = fix('read_result', { id: page.id, offset: page.next });
  return [`This is only the beginning of the answer. ${renderer.fixes([rest])}`];
}
