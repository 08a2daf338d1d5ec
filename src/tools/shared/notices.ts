import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { ToolResult } from '#core/tools/tool.ts';

/** Notices below the text of an answer, each a paragraph in brackets. */
export function renderNotices(notices: readonly Notice[]): string {
  return notices.map((each) => `\n\n[${baseRenderer.notice(each)}]`).join('');
}

/** Notices as the fields `detail` and `notices` of an answer; no fields without notices. */
export function noticeFields(notices: readonly Notice[]): Pick<ToolResult, 'detail' | 'notices'> {
  if (notices.length === 0) return {};
  return { detail: notices.map(baseRenderer.notice).join('\n'), notices };
}
