import { AT_RELOAD, atRestart, settingMeta } from '../setting-meta.ts';
import type { ProviderDescriptor } from '#core/providers/descriptor.ts';
import { PROVIDERS, type LimitedProviderId } from '#core/providers/list.ts';
import { JOB_TIMEOUT_MS, MAX_JOB_TIMEOUT_MS } from '#core/time/call-times.ts';
import { PROFILES } from '#core/tools/tool.ts';
import {
  clientBudget,
  dollars,
  HOUR_MS,
  list,
  oneOf,
  section,
  toolName,
  toolPattern,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

const calls = wholeNumber(1, 10_000);

export const routing = section({
  intelligentSelection: trueOrFalse
    .default(true)
    .describe('Choose the model by the kind of work and its language when no firmer rule applies.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['ENABLE_INTELLIGENT_SELECTION'] }),
  classify: trueOrFalse
    .default(true)
    .describe('Ask a small model what an unclear request is about before choosing its model.')
    .register(settingMeta, { applies: AT_RELOAD }),
  classifyMs: wholeNumber(100, 60_000)
    .default(1500)
    .describe('How long that may take, in milliseconds; then the rules decide alone.')
    .register(settingMeta, { applies: AT_RELOAD }),
});

/** What happens when no model answers. */
export const fallback = section({
  extractive: oneOf(['text', 'always', 'never'])
    .default('text')
    .describe(
      'Whether passages of what was given are quoted when no model answers: text (for plain questions), always or never.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  hedge: oneOf(['off', 'auto', 'on'])
    .default('auto')
    .describe(
      'Whether another provider is asked as well while one sends nothing for twice its usual time, at least 5 seconds: off, auto (if the request names no model) or on (always). The first to answer wins; both requests count.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  maxVendorCalls: wholeNumber(1, 100)
    .default(12)
    .describe(
      'Maximum number of requests to providers for one request: attempts, retries, second asks, searches, and uploads, which use half of it at most.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
});

/** When a failing model is skipped for a while. */
export const breaker = section({
  windowMs: wholeNumber(1000, HOUR_MS)
    .default(60_000)
    .describe('How far back failures count, in milliseconds.')
    .register(settingMeta, { applies: AT_RELOAD }),
  minCalls: wholeNumber(1, 1000)
    .default(4)
    .describe('Requests to a model in that time before it can be judged.')
    .register(settingMeta, { applies: AT_RELOAD }),
  failurePercent: wholeNumber(1, 100)
    .default(60)
    .describe('How many of a hundred must fail before it is left alone.')
    .register(settingMeta, { applies: AT_RELOAD }),
  coolOffMs: wholeNumber(100, HOUR_MS)
    .default(10_000)
    .describe('For how long at first, in milliseconds; twice as long each time it fails again.')
    .register(settingMeta, { applies: AT_RELOAD }),
  maxCoolOffMs: wholeNumber(100, 24 * HOUR_MS)
    .default(300_000)
    .describe('For how long at most, in milliseconds.')
    .register(settingMeta, { applies: AT_RELOAD }),
});

/** Budgets per day (UTC). 0 means no limit. */
export const budget = section({
  dailyUsd: dollars
    .default(0)
    .describe('By all clients together, in dollars.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_DAILY_BUDGET_USD'] }),
  clientDailyUsd: dollars
    .default(0)
    .describe('By each client, in dollars.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_CLIENT_DAILY_BUDGET_USD'] }),
  clients: list(clientBudget)
    .default([])
    .describe(
      'By single clients, in dollars, such as `ci=0.50`; the owner, and with it `exai ask`, is `local`: `local=0.50`.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  whenSpent: oneOf(['step_down', 'refuse'])
    .default('step_down')
    .describe(
      'When the budget is spent: step_down continues with free models, refuse rejects requests.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
});

/** When a long call becomes a background job. */
export const jobs = section({
  inlineWaitMs: wholeNumber(100, HOUR_MS)
    .default(45_000)
    .describe(
      'How long a call may take before its client gets a job in its place, in milliseconds.',
    )
    .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_INLINE_WAIT_MS'] }),
  withProgressMs: wholeNumber(100, HOUR_MS)
    .default(280_000)
    .describe('The same for clients that receive progress notifications.')
    .register(settingMeta, { applies: AT_RELOAD }),
  taskWaitMs: wholeNumber(0, HOUR_MS)
    .default(5000)
    .describe('The same for clients that follow tasks by themselves.')
    .register(settingMeta, { applies: AT_RELOAD }),
  timeoutMs: wholeNumber(1000, MAX_JOB_TIMEOUT_MS)
    .default(JOB_TIMEOUT_MS)
    .describe('How long a job may take in all, in milliseconds.')
    .register(settingMeta, { applies: AT_RELOAD }),
  running: calls
    .default(8)
    .describe('Maximum number of background and resumed jobs that run at once.')
    .register(settingMeta, { applies: AT_RELOAD }),
  waiting: calls
    .default(500)
    .describe('Jobs of one client that may wait or run before it is told to come back.')
    .register(settingMeta, { applies: AT_RELOAD }),
});

/** The size of results. */
export const results = section({
  maxTokens: wholeNumber(1000, 10_000_000)
    .default(25_000)
    .describe(
      'Tokens that a client takes in one answer; of a longer one it gets the head, and the rest on request.',
    )
    .register(settingMeta, { applies: AT_RELOAD, env: ['MAX_MCP_OUTPUT_TOKENS'] }),
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
      .register(settingMeta, {
        applies: AT_RELOAD,
        ...(oldEnv !== undefined && { old: [{ name: oldEnv }] }),
      });
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
    .register(settingMeta, { applies: AT_RELOAD, old: [{ name: 'EXAI_WS_GLOBAL_MAX_INFLIGHT' }] }),
  ...providerLimits(),
  session: calls
    .default(8)
    .describe('Of these, calls of one session.')
    .register(settingMeta, { applies: AT_RELOAD, old: [{ name: 'EXAI_WS_SESSION_MAX_INFLIGHT' }] }),
  queue: wholeNumber(0, 100_000)
    .default(256)
    .describe('Calls that may wait for their turn beyond these; the next one is told to come back.')
    .register(settingMeta, { applies: AT_RELOAD }),
  retryAfterMs: wholeNumber(1, HOUR_MS)
    .default(1000)
    .describe('When a call that found no place is told to come back, in milliseconds.')
    .register(settingMeta, {
      applies: AT_RELOAD,
      old: [{ name: 'EXAI_WS_RETRY_AFTER_SECS', unit: 'seconds' }],
    }),
  connections: wholeNumber(1, 100_000)
    .default(2000)
    .describe(
      'Connections that may be open at once at each listener, over all clients. Over HTTP these are sessions, and apart from them requests that need none; a session may need two connections, so there are twice as many. A client that is not the owner gets at most half. WebSockets whose caller is not known yet are not counted: they have 256 separate slots.',
    )
    .register(settingMeta, { applies: atRestart('listener') }),
});

/** Which tools clients see. */
export const tools = section({
  profile: oneOf(PROFILES)
    .default('lean')
    .describe(
      'How many tools are listed: lean, standard or full. search_tools and call_tool reach the others.',
    )
    .register(settingMeta, { applies: AT_RELOAD, env: ['TOOL_PROFILE'] }),
  enabled: list(toolPattern)
    .default([])
    .describe('Tools to list beyond the profile, by name or pattern, such as kimi_*.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['ENABLED_TOOLS'] }),
  disabled: list(toolPattern)
    .default([])
    .describe('Disabled tools, by name or pattern: neither listed nor callable.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['DISABLED_TOOLS'] }),
  webSearch: toolName
    .default('')
    .describe(
      'The tool of an MCP server that web_search asks first, such as mcp__brave__brave_web_search; providers search if it fails. Empty: providers search.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  learnFromUse: trueOrFalse
    .default(true)
    .describe(
      'Whether search_tools learns, for each client, which tools it calls after which words of a search. Arguments of tools are never kept.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  outputSchemas: trueOrFalse
    .default(false)
    .describe(
      'Lists output schemas and sends the envelope of every result as structuredContent too. Some clients, such as Claude Code, then give the envelope to their model instead of the text.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  pageSize: wholeNumber(1, 100_000)
    .default(1000)
    .describe('Entries on one page of a list of tools, prompts or resources.')
    .register(settingMeta, { applies: AT_RELOAD }),
});
