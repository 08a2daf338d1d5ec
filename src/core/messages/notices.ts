import type { Coded, SentenceTable } from './coded.ts';
import { FILE_NOTICE_SENTENCES, type FileNoticeParams } from './file-notices.ts';
import { MODEL_NOTICE_SENTENCES, type ModelNoticeParams } from './model-notices.ts';
import { PROVIDER_NOTICE_SENTENCES, type ProviderNoticeParams } from './provider-notices.ts';
import { areKnown } from './reasons.ts';
import { ROUTING_NOTICE_SENTENCES, type RoutingNoticeParams } from './routing-notices.ts';
import { SETTING_NOTICE_SENTENCES, type SettingNoticeParams } from './setting-notices.ts';
import { TOOL_NOTICE_SENTENCES, type ToolNoticeParams } from './tool-notices.ts';

/** What a caller should know beside an answer: what was changed, summarised or left out. */
export interface NoticeParams
  extends
    FileNoticeParams,
    ModelNoticeParams,
    ProviderNoticeParams,
    RoutingNoticeParams,
    SettingNoticeParams,
    ToolNoticeParams {
  /** A text of somebody else's (a vendor, a program), or of one place alone. */
  text: { readonly text: string };
}

export type NoticeCode = keyof NoticeParams;
export type Notice = Coded<NoticeParams>;

export function notice<Code extends NoticeCode>(code: Code, params: NoticeParams[Code]): Notice {
  return { code, params } as Notice;
}

export const NOTICE_SENTENCES: SentenceTable<NoticeParams> = {
  text: ({ text }) => text,
  ...FILE_NOTICE_SENTENCES,
  ...MODEL_NOTICE_SENTENCES,
  ...PROVIDER_NOTICE_SENTENCES,
  ...ROUTING_NOTICE_SENTENCES,
  ...SETTING_NOTICE_SENTENCES,
  ...TOOL_NOTICE_SENTENCES,
};

/** Each once, in the order in which they came. */
export function distinctNotices(notices: readonly Notice[]): readonly Notice[] {
  return [...new Map(notices.map((each) => [JSON.stringify(each), each])).values()];
}

/** Whether it came with a code that this version knows: another version may have sent it. */
export function isNotice(value: unknown): value is Notice {
  const { code, params } = (value ?? {}) as { readonly code?: unknown; readonly params?: unknown };
  const isKnown = typeof code === 'string' && Object.hasOwn(NOTICE_SENTENCES, code);
  return isKnown && typeof params === 'object' && params !== null && areKnown(params);
}
