import { facts } from '../facts.ts';
import { wholeNumber, yesNo } from '../fields.schema.ts';
import { section } from '../section.ts';

const calls = wholeNumber(1, 10_000);

export const routing = section({
  intelligentSelection: yesNo
    .default(true)
    .describe('Choose the model by the kind of work and its language when no firmer rule applies.')
    .register(facts, { env: ['ENABLE_INTELLIGENT_SELECTION'] }),
});

/** How many calls may wait for a provider at once. More than that queue up; built-in tools are never counted. */
export const limits = section({
  global: calls
    .default(24)
    .describe('Calls that may wait for a provider at once, over all clients.')
    .register(facts, { old: [{ name: 'EXAI_WS_GLOBAL_MAX_INFLIGHT' }] }),
  kimi: calls
    .default(6)
    .describe('Of these, calls to Kimi.')
    .register(facts, { old: [{ name: 'EXAI_WS_KIMI_MAX_INFLIGHT' }] }),
  glm: calls
    .default(4)
    .describe('Of these, calls to GLM.')
    .register(facts, { old: [{ name: 'EXAI_WS_GLM_MAX_INFLIGHT' }] }),
  session: calls
    .default(8)
    .describe('Of these, calls of one session.')
    .register(facts, { old: [{ name: 'EXAI_WS_SESSION_MAX_INFLIGHT' }] }),
});
