import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { Renderer } from '#core/messages/coded-message.ts';
import { fix } from '#core/messages/fixes.ts';
import { readNotices, type SentNotice } from '#core/messages/notices-wire.ts';
import { isNotice } from '#core/messages/notices.ts';

/** The notices about the route, without those that the answer itself shows. */
export function routeNotices({ route, ...envelope }: Partial<Envelope>): readonly SentNotice[] {
  return withoutShownNotices(readNotices(route), envelope);
}

/** Without the notices that the answer itself shows, as the answer of `status` does. */
export function withoutShownNotices(
  notices: readonly SentNotice[],
  envelope: unknown,
): readonly SentNotice[] {
  const { notice_data: data } = (envelope ?? {}) as { readonly notice_data?: unknown };
  const shown = new Set((Array.isArray(data) ? data : []).map((each) => JSON.stringify(each)));
  return notices.filter(({ data: own }) => own === undefined || !shown.has(JSON.stringify(own)));
}

/**
 * The texts of notices on one surface, without duplicates. Unknown notices keep the text they came
 * with.
 */
export function renderNoticeTexts(
  notices: readonly SentNotice[],
  renderer: Pick<Renderer, 'notice'>,
): readonly string[] {
  return [...new Set(notices.map((each) => renderNoticeText(each, renderer)))];
}

export function renderNoticeText(
  { text, data }: SentNotice,
  renderer: Pick<Renderer, 'notice'>,
): string {
  try {
    return isNotice(data) ? renderer.notice(data) : text;
  } catch {
    // A daemon of another version may send other parameters for the same code.
    return text;
  }
}

/** The notices of an answer, or the text of a tool that has no notice codes. */
export function renderAnswerNotices(
  { detail, notice_data: data = [], page }: Partial<Envelope>,
  renderer: Pick<Renderer, 'notice'>,
): readonly string[] {
  const sent: readonly unknown[] = Array.isArray(data) ? data : [];
  const known = sent.flatMap((each) => (isNotice(each) ? [{ text: '', data: each }] : []));
  if (known.length > 0) return renderNoticeTexts(known, renderer);
  // The detail about a page names a tool; renderPageHint names the command.
  return detail === undefined || page ? [] : [detail];
}

/** How to read the rest of a long answer; empty for any other. */
export function renderPageHint(
  envelope: unknown,
  renderer: Pick<Renderer, 'fixes'>,
): readonly string[] {
  const { page } = (envelope ?? {}) as Partial<Envelope>;
  if (typeof page?.id !== 'string' || typeof page.next !== 'number') return [];
  const rest = fix('read_result', { id: page.id, offset: page.next });
  return [`This is only the beginning of the answer. ${renderer.fixes([rest])}`];
}
