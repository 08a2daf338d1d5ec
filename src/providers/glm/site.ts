import { isUrl } from '#core/net/is-url.ts';
import type { FilePurpose } from '#core/llm/provider.ts';

/** The two sites of the vendor; keys, search engines and file purposes differ. */
export type SiteName = 'zai' | 'bigmodel';

export interface PurposeRule {
  /** The vendor's name for it. */
  readonly name: string;
  readonly maxBytes: number;
  /** Limit of pictures, where it is lower. */
  readonly maxImageBytes?: number;
  readonly ending?: string;
}

export interface Site {
  readonly name: SiteName;
  readonly host: string;
  readonly baseUrl: string;
  readonly codingUrl: string;
  readonly keysAt: string;
  /**
   * For the `web_search` tool and its endpoint. z.ai documents two engines for the tool, but only
   * this one for both.
   */
  readonly searchEngine: string;
  /**
   * Whether it supports `search_intent`. Without it GLM may decide not to search and still report a
   * search.
   */
  readonly searchIntent: 'takes' | 'ignores';
  readonly purposes: Readonly<Partial<Record<FilePurpose, PurposeRule>>>;
}

const MB = 1024 * 1024;

export const SITES: Readonly<Record<SiteName, Site>> = {
  zai: {
    name: 'zai',
    host: 'api.z.ai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    codingUrl: 'https://api.z.ai/api/coding/paas/v4',
    keysAt: 'https://z.ai/manage-apikey/apikey-list',
    searchEngine: 'search-prime',
    searchIntent: 'ignores',
    purposes: { agent: { name: 'agent', maxBytes: 100 * MB } },
  },
  bigmodel: {
    name: 'bigmodel',
    host: 'open.bigmodel.cn',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    codingUrl: 'https://open.bigmodel.cn/api/coding/paas/v4',
    keysAt: 'https://open.bigmodel.cn/usercenter/apikeys',
    searchEngine: 'search_pro',
    searchIntent: 'takes',
    purposes: {
      extract: { name: 'file-extract', maxBytes: 50 * MB, maxImageBytes: 5 * MB },
      batch: { name: 'batch', maxBytes: 100 * MB, ending: '.jsonl' },
      agent: { name: 'agent', maxBytes: 20 * MB },
    },
  },
};

/** The site of an address. A proxy counts as z.ai by default. */
export function siteOf(baseUrl: string): Site {
  const host = isUrl(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === 'bigmodel.cn' || host.endsWith('.bigmodel.cn') ? SITES.bigmodel : SITES.zai;
}

export function otherSite({ name }: Site): Site {
  return name === 'zai' ? SITES.bigmodel : SITES.zai;
}

const CODING = /\/coding\/paas\/v4\/*$/;

/** Whether chats are charged to a Coding Plan. The key works at both paths. */
export function isCodingPath(baseUrl: string): boolean {
  return CODING.test(baseUrl);
}

/**
 * The address of all endpoints but chat: the coding path has chat only, the rest is charged to the
 * balance.
 */
export function standardUrl(baseUrl: string): string {
  return baseUrl.replace(CODING, '/paas/v4');
}
