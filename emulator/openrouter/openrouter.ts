import { modelOf } from '../openai/model-of.ts';
import { createPrefixCache } from '../openai/prefix-cache.ts';
import type { Ask, Reply, Vendor } from '../vendor.ts';
import { answerRouted, BROKEN_OFF, streamRouted, wholeRouted } from './chat.ts';
import { checkRouted } from './check-chat.ts';
import { errorBody, NO_CREDIT, refuse, type RoutedError } from './errors.ts';
import { createOpenRouterFaults, OPENROUTER_FAULT_OPTIONS } from './faults.ts';
import { routedList } from './models.ts';
import { checkDetails } from './reasoning-details.ts';
import { createOpenRouterSwitches, type OpenRouterSwitches } from './switches.ts';

const MAX_KEYS = 1_000;

/**
 * OpenRouter. Keys are `sk-or-…`; `sk-or-wrong…` is unknown, `sk-or-poor…` has no credit,
 * `sk-or-free…` is of the free tier.
 */
export function createOpenRouter(): Vendor<OpenRouterSwitches> {
  const toggles = createOpenRouterSwitches();
  const { switches } = toggles;
  const cache = createPrefixCache(1_024);
  /** Dollars spent, by key. */
  const spent = new Map<string, number>();
  let made = 0;

  function keyOf(ask: Ask): { readonly key: string } | { readonly error: RoutedError } {
    const key = /^bearer\s+(\S+)$/i.exec(ask.headers['authorization'] ?? '')?.[1];
    if (key === undefined) return { error: { code: 401, message: 'No auth credentials found' } };
    if (!key.startsWith('sk-or-') || key.startsWith('sk-or-wrong'))
      return { error: { code: 401, message: 'User not found.' } };
    return { key };
  }

  function spend(key: string, usd: number): void {
    spent.set(key, (spent.get(key) ?? 0) + usd);
    const oldest = spent.keys().next().value;
    if (spent.size > MAX_KEYS && oldest !== undefined) spent.delete(oldest);
  }

  const isPoor = (key: string): boolean =>
    key.startsWith('sk-or-poor') ||
    (switches.limit >= 0 && (spent.get(key) ?? 0) >= switches.limit);

  async function chat(ask: Ask, reply: Reply, key: string): Promise<void> {
    if (isPoor(key)) return refuse(reply, NO_CREDIT);
    const checked = checkRouted(ask.json);
    if ('error' in checked) return refuse(reply, checked.error);
    const error = checkDetails(checked.messages);
    if (error !== undefined) return refuse(reply, error);
    made += 1;
    const id = `gen-${Math.floor(ask.now() / 1_000)}-${made.toString(36).padStart(8, '0')}`;
    const answer = answerRouted(checked, {
      id,
      keyId: key,
      nowMs: ask.now(),
      fault: ask.fault,
      cache,
    });
    if ('error' in answer) return refuse(reply, answer.error);
    spend(key, answer.costUsd);
    if (checked.body['stream'] === true) return streamRouted(answer, reply, switches);
    // Whole answers may fail with 200, too, once the provider had begun.
    const body =
      ask.fault?.id === 'F11.error'
        ? { id, ...errorBody(BROKEN_OFF, 'user_emulated') }
        : wholeRouted(answer, switches);
    return reply.json(200, body, { 'x-generation-id': id });
  }

  function keyInfo(key: string): object {
    const usage = spent.get(key) ?? 0;
    const limit = switches.limit < 0 ? null : switches.limit;
    return {
      data: {
        label: `${key.slice(0, 9)}...${key.slice(-3)}`,
        usage,
        usage_daily: usage,
        usage_weekly: usage,
        usage_monthly: usage,
        limit,
        limit_remaining: limit === null ? null : Math.max(0, limit - usage),
        limit_reset: null,
        is_free_tier: key.startsWith('sk-or-free'),
        is_management_key: false,
        is_provisioning_key: false,
        include_byok_in_limit: false,
        byok_usage: 0,
        byok_usage_daily: 0,
        byok_usage_weekly: 0,
        byok_usage_monthly: 0,
        allowed_data_regions: ['global'],
        creator_user_id: null,
        organization_id: null,
        workspace_id: null,
        expires_at: null,
        free_model_daily_requests: { limit: 50, remaining: 50, used: 0 },
        rate_limit: { requests: -1, interval: '10s', note: 'This field is deprecated.' },
      },
    };
  }

  /** The credits of the account and what was spent of them, in dollars. */
  function credits(key: string): object {
    const used = spent.get(key) ?? 0;
    return {
      data: { total_credits: key.startsWith('sk-or-poor') ? used : 100, total_usage: used },
    };
  }

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    // The list of models is public.
    if (ask.method === 'GET' && ask.path === '/models') return reply.json(200, routedList());
    const who = keyOf(ask);
    if ('error' in who) return refuse(reply, who.error);
    if (ask.method === 'GET' && (ask.path === '/key' || ask.path === '/auth/key'))
      return reply.json(200, keyInfo(who.key));
    if (ask.method === 'GET' && ask.path === '/credits') return reply.json(200, credits(who.key));
    if (ask.method === 'POST' && ask.path === '/chat/completions') return chat(ask, reply, who.key);
    return refuse(reply, { code: 404, message: `${ask.method} ${ask.path} not found` });
  }

  return {
    name: 'openrouter',
    prefix: '/openrouter/api/v1',
    switches,
    reset() {
      toggles.reset();
      cache.clear();
      spent.clear();
      made = 0;
    },
    handle,
    faults: createOpenRouterFaults((ask) => modelOf(ask.json)),
    faultOptions: OPENROUTER_FAULT_OPTIONS,
  };
}
