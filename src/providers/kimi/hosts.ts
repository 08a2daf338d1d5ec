import { isUrl } from '#core/net/is-url.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { isKimiCodingPlan, KIMI_CODING_URL } from '#core/providers/kimi-plan.ts';

export const KIMI_KEY_FIXES: readonly (Fix | string)[] = [
  fix('add_key', { provider: 'kimi' }),
  fix('set_setting', { setting: 'KIMI_API_KEY' }),
  'Get one at https://platform.moonshot.ai/console/api-keys (in China: https://platform.moonshot.cn/console/api-keys).',
];

const AI = 'https://api.moonshot.ai/v1';
const CN = 'https://api.moonshot.cn/v1';
/** The default address of Kimi. */
export const USUAL_URL = AI;
const AI_CONSOLE = 'https://platform.moonshot.ai/console';
const CN_CONSOLE = 'https://platform.moonshot.cn/console';
const CODING_CONSOLE = 'https://www.kimi.com/code/console';
/** Fixes for a key that the coding plan refuses. */
const CODING: readonly (Fix | string)[] = [
  `Check the key at ${CODING_CONSOLE}: keys of the coding plan begin with sk-kimi-.`,
  `A key of platform.moonshot.ai works at ${AI}, one of platform.moonshot.cn at ${CN}.`,
  fix('set_setting', { setting: 'KIMI_API_URL', value: AI }),
];
const CODING_PLAN = `A key that begins with sk-kimi- is one of the coding plan and works only at ${KIMI_CODING_URL}.`;

export interface KimiHost {
  /** The currency of accounts there. */
  readonly currency: 'USD' | 'CNY';
  /** The page for adding credit. */
  readonly console: string;
  /** Whether it is the address of the coding plan, which has no balance and fewer clients. */
  readonly isCodingPlan: boolean;
  /** Fixes for a refused key. The accounts of the two hosts are separate. */
  readonly wrongKeyFixes: readonly (Fix | string)[];
}

export function kimiHostOf(baseUrl: string): KimiHost {
  const name = isUrl(baseUrl) ? new URL(baseUrl).hostname : '';
  const isAt = (domain: string) => name === domain || name.endsWith(`.${domain}`);
  if (isKimiCodingPlan(baseUrl))
    return { currency: 'USD', console: CODING_CONSOLE, isCodingPlan: true, wrongKeyFixes: CODING };
  const host = { isCodingPlan: false, currency: 'USD', console: AI_CONSOLE } as const;
  if (isAt('moonshot.cn'))
    return { ...host, currency: 'CNY', console: CN_CONSOLE, wrongKeyFixes: otherHost('ai', AI) };
  if (isAt('moonshot.ai')) return { ...host, wrongKeyFixes: otherHost('cn', CN) };
  return {
    ...host,
    wrongKeyFixes: [
      `Check whose key it is: one of platform.moonshot.ai works at ${AI}, one of platform.moonshot.cn at ${CN}.`,
      fix('set_setting', { setting: 'KIMI_API_URL', value: 'the address to ask' }),
      CODING_PLAN,
    ],
  };
}

function otherHost(domain: 'ai' | 'cn', url: string): readonly (Fix | string)[] {
  return [
    `This key may belong to platform.moonshot.${domain}.`,
    fix('set_setting', { setting: 'KIMI_API_URL', value: url }),
    CODING_PLAN,
  ];
}
