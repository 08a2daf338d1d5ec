import { isUrl } from '../net/is-url.ts';
import { kimi } from './kimi.ts';

/** Where keys of Kimi's coding plan work. The platform refuses them. */
export const KIMI_CODING_URL = 'https://api.kimi.com/coding/v1';
const CODING_KEY_PREFIX = 'sk-kimi-';

/** The models of a plan are other ones than those of the platform, with separate ids. */
export type ModelPlan = 'coding';
/** The plan of each provider whose address is that of a plan. */
export type ModelPlans = Readonly<Partial<Record<string, ModelPlan>>>;

/**
 * The address to ask: a key of the coding plan is sent to its own address, unless the user has set
 * another one.
 */
export function endpointOf(
  id: string,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): string {
  const isCoding = id === kimi.id && apiKey.startsWith(CODING_KEY_PREFIX);
  return isCoding && baseUrl === kimi.settings.address.default ? KIMI_CODING_URL : baseUrl;
}

/** Whether an address of Kimi is that of the coding plan: its path has `coding`. */
export function isKimiCodingPlan(baseUrl: string): boolean {
  return isUrl(baseUrl) && new URL(baseUrl).pathname.split('/').includes('coding');
}

export function plansAt(baseUrls: Readonly<Partial<Record<string, string>>>): ModelPlans {
  return isKimiCodingPlan(baseUrls[kimi.id] ?? '') ? { [kimi.id]: 'coding' } : {};
}
