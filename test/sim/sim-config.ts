import { Config } from '#config/schema/config.schema.ts';
import type { Vendor } from './asking-plan.ts';
import { OWNER_TOKEN } from './badges.ts';
import type { Plan } from './plan.ts';
import type { Plants } from './plants.ts';
import { OWN_CONTEXT_TOKENS, OWN_URL } from './sim-upstreams.ts';

// Short, so that a timer nobody stopped does its harm while there is still somebody to harm.
const HELLO_MS = 1000;
const PROGRESS_MS = 800;

export const DEFAULTS = Config.parse({});

/** Few, so that simulations reach it. */
const MAX_VENDOR_CALLS = 4;

/** Of the real daemon's settings, those that the plan or the pace of the simulation changes. */
export function configOf(plan: Plan, plants: Plants): Config {
  const { limits, maxWaiting, needsToken, asking } = plan;
  const { schedules, patience, breaker, budget, extractiveFallback, classifyMs, quickModel } =
    asking;
  const planted = (count: number) => plants.capacity?.(count) ?? count;
  return {
    ...DEFAULTS,
    timezone: 'UTC',
    token: needsToken ? OWNER_TOKEN : '',
    auth: { ...DEFAULTS.auth, rotationGraceMs: 1000 },
    listener: { ...DEFAULTS.listener, helloTimeoutMs: HELLO_MS, progressIntervalMs: PROGRESS_MS },
    tools: { ...DEFAULTS.tools, profile: 'full' },
    providers: providersOf(schedules, asking.accounts),
    models: { ...DEFAULTS.models, glmSpeed: quickModel },
    gateway: { ...DEFAULTS.gateway, timeoutMs: plan.gateway.timeoutMs },
    timeouts: patience,
    breaker,
    budget: { ...DEFAULTS.budget, ...budget },
    fallback: {
      extractive: extractiveFallback,
      hedge: asking.hedge.mode,
      maxVendorCalls: MAX_VENDOR_CALLS,
    },
    routing: { ...DEFAULTS.routing, classifyMs },
    jobs: plan.jobs.times,
    limits: {
      ...DEFAULTS.limits,
      global: planted(limits.global),
      kimi: planted(limits.kimi),
      glm: planted(limits.glm),
      session: planted(limits.session),
      queue: maxWaiting,
    },
  };
}

function providersOf(
  schedules: Plan['asking']['schedules'],
  accounts: Plan['asking']['accounts'],
): Config['providers'] {
  const { kimi, glm, openrouter, custom } = DEFAULTS.providers;
  const keyOf = (vendor: Vendor) => (schedules[vendor] ? `key-of-${vendor}-in-the-simulation` : '');
  const others = (vendor: 'kimi' | 'glm') =>
    (accounts[vendor]?.keys ?? []).slice(1).map((_, at) => `${keyOf(vendor)}-${at + 1}`);
  return {
    ...DEFAULTS.providers,
    kimi: { ...kimi, apiKey: keyOf('kimi'), otherKeys: others('kimi').join(',') },
    glm: { ...glm, apiKey: keyOf('glm'), otherKeys: others('glm').join(',') },
    openrouter: { ...openrouter, apiKey: keyOf('openrouter') },
    custom: {
      ...custom,
      baseUrl: schedules.custom ? OWN_URL : '',
      model: 'own-model',
      contextTokens: OWN_CONTEXT_TOKENS,
    },
  };
}
