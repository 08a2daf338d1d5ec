import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { ToolAnswer } from '#core/tool.ts';

/** Notices as they stand below the text of an answer: a paragraph in brackets each. */
export function noticeParagraphs(notices: readonly Notice[]): string {
  return notices.map((each) => `\n\n[${baseRenderer.notice(each)}]`).join('');
}

/** The same notices for `detail` and as data; nothing where there are none. */
export function noticeFacts(notices: readonly Notice[]): Pick<ToolAnswer, 'detail' | 'notices'> {
  if (notices.length === 0) return {};
  return { detail: notices.map(baseRenderer.notice).join('\n'), notices };
}
