import type { ChainLink } from '#core/messages/role-titles.ts';
import { PROVIDERS } from '#core/providers/list.ts';
import type { RequestClass } from '#core/route.ts';

/** Providers that stand at the end of every chain. */
const LAST: readonly ChainLink[] = PROVIDERS.flatMap(({ id, fallbackModels }) =>
  fallbackModels ? [id] : [],
);

/**
 * Who is asked after the winner of a rule, by what the request is; whoever was asked already is passed over. Neighbours
 * are of different providers where that is possible, as a failure seldom comes alone. After these come the other models
 * of the same parts, and at last `local`, where a quotation will do.
 */
export const CHAINS: Readonly<Record<RequestClass, readonly ChainLink[]>> = {
  file_qa: [
    'kimiDefault',
    'glmQuality',
    'glmSpeed',
    'custom',
    'openrouter',
    'kimiQuality',
    'vision',
    ...LAST,
  ],
  long_context: [
    'kimiQuality',
    'glmQuality',
    'kimiDefault',
    'glmSpeed',
    'custom',
    'openrouter',
    ...LAST,
  ],
  web: ['glmSpeed', 'kimiDefault', 'glmQuality', 'openrouter', 'custom', ...LAST],
  chat: ['glmSpeed', 'kimiSpeed', 'glmQuality', 'custom', 'openrouter', ...LAST],
  code: ['kimiQuality', 'glmQuality', 'glmSpeed', 'custom', 'openrouter', ...LAST],
  agentic: ['glmQuality', 'kimiQuality', 'glmSpeed', 'custom', 'openrouter', ...LAST],
  vision: ['vision', 'kimiDefault', 'glmSpeed', 'openrouter', 'custom', ...LAST],
};
