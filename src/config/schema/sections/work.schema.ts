import { settingMeta } from '../setting-meta.ts';
import type { ProviderDescriptor } from '#core/providers/descriptor.ts';
import { PROVIDERS, type LimitedProviderId } from '#core/providers/list.ts';
import { PROFILES } from '#core/tools/tool.ts';
import {
  clientBudget,
  dollars,
  HOUR_MS,
  list,
  oneOf,
  section,
  toolPattern,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

const calls = wholeNumber(1, 10_000);

export const routing = section({
  intelligentSelection: trueOrFalse
    .default(true)
    .describe('Choose the model by the kind of work and its language when no firmer rule applies.')
    .register(settingMeta, { env: ['ENABLE_INTELLIGENT_SELECTION'] }),
  classify: trueOrFalse
    .default(true)
    .describe('Ask a small model what an unclear request is about before choosing its model.')
    .register(settingMeta, {}),
  classifyMs: wholeNumber(100, 60_000)
    .default(1500)
    .describe('How long that may take, in milliseconds; then the rules decide alone.')
    .register(settingMeta, {}),
});

/** What happens when no model answers. */
export const fallback = section({
  extractive: oneOf(['text', 'always', 'never'])
    .default('text')
    .describe(
      'Whether passages of what was given are quoted when no model answers: text (for plain questions), always or never.',
    )
    .register(settingMeta, {}),
});

/** When a failing model is skipped for a while. */
export const breaker = section({
  windowMs: wholeNumber(1000, HOUR_MS)
    .default(60_000)
    .describe('How far back failures count, in milliseconds.')
    .register(settingMeta, {}),
  minCalls: wholeNumber(1, 1000)
    .default(4)
    .describe('Requests to a model in that time before it can be judged.')
    .register(settingMeta, {}),
  failurePercent: wholeNumber(1, 100)
    .default(60)
    .describe('How many of a hundred must fail before it is left alone.')
    .register(settingMeta, {}),
  coolOffMs: wholeNumber(100, HOUR_MS)
    .default(10_000)
    .describe('For how long at first, in milliseconds; twice as long each time it fails again.')
    .register(settingMeta, {}),
  maxCoolOffMs: wholeNumber(100, 24 * HOUR_MS)
    .default(300_000)
    .describe('For how long at most, in milliseconds.')
    .register(settingMeta, {}),
});

/** Budgets per day (UTC). 0 means no limit. */
export const budget = section({
  dailyUsd: dollars
    .default(0)
    .describe('By all clients together, in dollars.')
    .register(settingMeta, { env: ['EXAI_DAILY_BUDGET_USD'] }),
  clientDailyUsd: dollars
    .default(0)
    .describe('By each client, in dollars.')
    .register(settingMeta, { env: ['EXAI_CLIENT_DAILY_BUDGET_USD'] }),
  clients: list(clientBudget)
    .default([])
    .describe(
      'By single clients, in dollars, such as `ci=0.50`; the owner, and with it `exai ask`, is `local`: `local=0.50`.',
    )
    .register(settingMeta, {}),
  whenSpent: oneOf(['step_down', 'refuse'])
    .default('step_down')
    .describe(
      'When it is spent, go on with models that cost nothing, or refuse: step_down or refuse.',
    )
    .register(settingMeta, {}),
});

/** When a long call becomes a background job. */
export const jobs = section({
  inlineWaitMs: wholeNumber(100, HOUR_MS)
    .default(45_000)
    .describe(
      'How long a call may take before its client gets a job in its place, in milliseconds.',
    )
    .register(settingMeta, { env: ['EXAI_INLINE_WAIT_MS'] }),
  withProgressMs: wholeNumber(100, HOUR_MS)
    .default(280_000)
    .describe('The same for clients that hear of its progress, and so know that it goes on.')
    .register(settingMeta, {}),
  taskWaitMs: wholeNumber(0, HOUR_MS)
    .default(5000)
    .describe('The same for clients that follow tasks by themselves.')
    .register(settingMeta, {}),
  timeoutMs: wholeNumber(1000, 24 * HOUR_MS)
    .default(HOUR_MS)
    .describe('How long a job may take in all, in milliseconds.')
    .register(settingMeta, {}),
  running: calls
    .default(8)
    .describe('Jobs that were begun in the background, or go on after a restart, at once.')
    .register(settingMeta, {}),
  waiting: calls
    .default(500)
    .describe('Jobs of one client that may wait or run before it is told to come back.')
    .register(settingMeta, {}),
});

/** The size of results. */
export const results = section({
  maxTokens: wholeNumber(1000, 10_000_000)
    .default(25_000)
    .describe(
      'Tokens that a client takes in one answer; of a longer one it gets the head, and the rest on request.',
    )
    .register(settingMeta, { env: ['MAX_MCP_OUTPUT_TOKENS'] }),
});

/** One limit for each provider that declares one. */
function providerLimits() {
  const field = (
    title: string,
    { calls: most, oldEnv }: NonNullable<ProviderDescriptor['limit']>,
  ) =>
    calls
      .default(most)
      .describe(`Of these, calls to ${title}.`)
      .register(settingMeta, oldEnv === undefined ? {} : { old: [{ name: oldEnv }] });
  const entries = PROVIDERS.flatMap(({ id, title, limit }) =>
    limit ? [[id, field(title, limit)]] : [],
  );
  return Object.fromEntries(entries) as Record<LimitedProviderId, ReturnType<typeof field>>;
}

/**
 * How many calls may wait for a provider at once. Further calls queue; tools that use no provider
 * are not counted.
 */
export const limits = section({
  global: calls
    .default(24)
    .describe('Calls that may wait for a provider at once, over all clients.')
    .register(settingMeta, { old: [{ name: 'EXAI_WS_GLOBAL_MAX_INFLIGHT' }] }),
  ...providerLimits(),
  session: calls
    .default(8)
    .describe('Of these, calls of one session.')
    .register(settingMeta, { old: [{ name: 'EXAI_WS_SESSION_MAX_INFLIGHT' }] }),
  queue: wholeNumber(0, 100_000)
    .default(256)
    .describe('Calls that may wait for their turn beyond these; the next one is told to come back.')
    .register(settingMeta, {}),
  retryAfterMs: wholeNumber(1, HOUR_MS)
    .default(1000)
    .describe('When a call that found no place is told to come back, in milliseconds.')
    .register(settingMeta, { old: [{ name: 'EXAI_WS_RETRY_AFTER_SECS', unit: 'seconds' }] }),
  connections: wholeNumber(1, 100_000)
    .default(2000)
    .describe(
      'Connections that may be open at once at each listener, over all clients. Over HTTP these are sessions, and apart from them requests that need none; a session may need two connections, so there are twice as many. A client that is not the owner gets at most half. WebSockets whose caller is not known yet are not counted: they have 256 places of their own.',
    )
    .register(settingMeta, {}),
});

/** Which tools clients see. */
export const tools = section({
  profile: oneOf(PROFILES)
    .default('lean')
    .describe(
      'How many tools are listed: lean, standard or full. Unlisted ones can still be called.',
    )
    .register(settingMeta, { env: ['TOOL_PROFILE'] }),
  enabled: list(toolPattern)
    .default([])
    .describe('Tools to list beyond the profile, by name or pattern, such as kimi_*.')
    .register(settingMeta, { env: ['ENABLED_TOOLS'] }),
  disabled: list(toolPattern)
    .default([])
    .describe('Tools to take away altogether, by name or pattern: neither listed nor callable.')
    .register(settingMeta, { env: ['DISABLED_TOOLS'] }),
  outputSchemas: trueOrFalse
    .default(false)
    .describe(
      'Lists output schemas and sends the envelope of every result as structuredContent too. Some clients, such as Claude Code, then give the envelope to their model in place of the text.',
    ),
  pageSize: wholeNumber(1, 100_000)
    .default(1000)
    .describe('Entries on one page of a list of tools, prompts or resources.'),
});
