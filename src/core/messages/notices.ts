import type { Coded, SentenceTable } from './coded-message.ts';
import { DOCUMENT_NOTICE_SENTENCES, type DocumentNoticeParams } from './document-notices.ts';
import { FILE_NOTICE_SENTENCES, type FileNoticeParams } from './file-notices.ts';
import { GATEWAY_NOTICE_SENTENCES, type GatewayNoticeParams } from './gateway-notices.ts';
import {
  MODEL_NOTICE_SENTENCES,
  PROVIDER_NOTICE_SENTENCES,
  type ModelNoticeParams,
  type ProviderNoticeParams,
} from './provider-notices.ts';
import { areKnown } from './reasons.ts';
import { ROUTING_NOTICE_SENTENCES, type RoutingNoticeParams } from './routing-notices.ts';
import { SETTING_NOTICE_SENTENCES, type SettingNoticeParams } from './setting-notices.ts';
import { STORE_NOTICE_SENTENCES, type StoreNoticeParams } from './store-notices.ts';
import { TOOL_NOTICE_SENTENCES, type ToolNoticeParams } from './tool-notices.ts';
import { UPLOAD_NOTICE_SENTENCES, type UploadNoticeParams } from './upload-notices.ts';
import { WEB_NOTICE_SENTENCES, type WebNoticeParams } from './web-notices.ts';

/** Notices beside an answer: what was changed, summarised or left out. */
export interface NoticeParams
  extends
    DocumentNoticeParams,
    FileNoticeParams,
    GatewayNoticeParams,
    ModelNoticeParams,
    ProviderNoticeParams,
    RoutingNoticeParams,
    SettingNoticeParams,
    StoreNoticeParams,
    ToolNoticeParams,
    UploadNoticeParams,
    WebNoticeParams {
  /** Text from outside (a vendor, a program), or used in one place only. */
  text: { readonly text: string };
}

export type NoticeCode = keyof NoticeParams;
export type Notice = Coded<NoticeParams>;

export function notice<Code extends NoticeCode>(code: Code, params: NoticeParams[Code]): Notice {
  return { code, params } as Notice;
}

export const NOTICE_SENTENCES: SentenceTable<NoticeParams> = {
  text: ({ text }) => text,
  ...DOCUMENT_NOTICE_SENTENCES,
  ...FILE_NOTICE_SENTENCES,
  ...GATEWAY_NOTICE_SENTENCES,
  ...MODEL_NOTICE_SENTENCES,
  ...PROVIDER_NOTICE_SENTENCES,
  ...ROUTING_NOTICE_SENTENCES,
  ...SETTING_NOTICE_SENTENCES,
  ...STORE_NOTICE_SENTENCES,
  ...TOOL_NOTICE_SENTENCES,
  ...UPLOAD_NOTICE_SENTENCES,
  ...WEB_NOTICE_SENTENCES,
};

/** Removes duplicates, keeping the order. */
export function distinctNotices(notices: readonly Notice[]): readonly Notice[] {
  return [...new Map(notices.map((each) => [JSON.stringify(each), each])).values()];
}

/** Whether it has a known code; it may come from another version. */
export function isNotice(value: unknown): value is Notice {
  const { code, params } = (value ?? {}) as { readonly code?: unknown; readonly params?: unknown };
  const isKnown = typeof code === 'string' && Object.hasOwn(NOTICE_SENTENCES, code);
  // The only notice that contains another.
  if (code === 'about_file') return isNotice((params as { about?: unknown } | null)?.about);
  return isKnown && typeof params === 'object' && params !== null && areKnown(params);
}
