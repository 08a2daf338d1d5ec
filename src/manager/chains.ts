import type { RequestClass } from '#core/route.ts';
import type { RoleName } from '#models/roles.ts';

/** A part, or the first model of a provider that has no parts. */
export type Link = RoleName | 'custom' | 'openrouter';

/**
 * Who is asked after the winner of a rule, by what the request is; whoever was asked already is passed over. Neighbours
 * are of different providers where that is possible, as a failure seldom comes alone. After these come the other models
 * of the same parts, and at last `local`, where a quotation will do.
 */
export const CHAINS: Readonly<Record<RequestClass, readonly Link[]>> = {
  file_qa: [
    'kimiDefault',
    'glmQuality',
    'glmSpeed',
    'custom',
    'openrouter',
    'kimiQuality',
    'vision',
  ],
  long_context: ['kimiQuality', 'glmQuality', 'kimiDefault', 'glmSpeed', 'custom', 'openrouter'],
  web: ['glmSpeed', 'kimiDefault', 'glmQuality', 'openrouter', 'custom'],
  chat: ['glmSpeed', 'kimiSpeed', 'glmQuality', 'custom', 'openrouter'],
  code: ['kimiQuality', 'glmQuality', 'glmSpeed', 'custom', 'openrouter'],
  agentic: ['glmQuality', 'kimiQuality', 'glmSpeed', 'custom', 'openrouter'],
  vision: ['vision', 'kimiDefault', 'glmSpeed', 'openrouter', 'custom'],
};

/** What people call the parts: the variable that sets the model. */
export const ROLE_WORDS: Readonly<Record<RoleName, string>> = {
  kimiSpeed: 'KIMI_SPEED_MODEL',
  kimiQuality: 'KIMI_QUALITY_MODEL',
  kimiDefault: 'KIMI_DEFAULT_MODEL',
  glmSpeed: 'GLM_SPEED_MODEL',
  glmQuality: 'GLM_QUALITY_MODEL',
  vision: 'the vision model',
  manager: "the manager's model",
};
