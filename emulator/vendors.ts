import { createAnthropic } from './anthropic/anthropic.ts';
import { createComposio } from './composio/composio.ts';
import { createGlm } from './glm/glm.ts';
import { createKimi, createKimiCoding } from './kimi/kimi.ts';
import { createLocalVendors } from './local/local.ts';
import { createOAuthServer } from './oauth/oauth.ts';
import { createOpenRouter } from './openrouter/openrouter.ts';
import { createSite } from './site/site.ts';
import type { Vendor } from './vendor.ts';

/** The outside world, part by part. */
export const createVendors = (): readonly Vendor[] => [
  createKimi(),
  createKimiCoding(),
  createGlm(),
  createOpenRouter(),
  createAnthropic(),
  createComposio(),
  ...createOAuthServer(),
  ...createLocalVendors(),
  createSite(),
];
