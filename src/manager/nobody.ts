import type { CallError, ErrorFacts } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { RouteFacts } from '#core/route.ts';
import type { Model } from '#models/model.ts';
import type { Against, Unable } from './capable.ts';
import { mediaError } from './media-error.ts';
import { outGroups } from './out-groups.ts';
import type { RouteWorld } from './route-world.ts';
import type { Out } from './situation.ts';

/** Why nobody can be asked, by what would help most: waiting, money, a shorter question, a key. */
export function nobodyError(out: readonly Out[], facts: RouteFacts, world: RouteWorld): CallError {
  const models = out.filter(({ model }) => model.provider !== 'local');
  const of = (against: Against) => models.filter(({ verdict }) => verdict.against === against);
  const resting = of('breaker');
  if (resting.length > 0) return restingError(resting);
  if (world.budget && of('budget').length > 0) return budgetError(world.budget);
  if (of('price').length > 0) return priceError(of('price'), facts);
  if (of('window').length > 0) return windowError(of('window'), facts);
  const tools = of('tools');
  if (tools.length > 0 && of('set_up').length === 0) return toolsError(tools);
  if (of('modality').length > 0) return mediaError(of('modality'), facts);
  if (models.every((each) => lacksProvider(each, world))) {
    return codedError('not_configured', reason('no_provider_set_up'), {
      fixes: [
        fix('add_key', { provider: 'glm' }),
        fix('set_setting', { setting: 'CUSTOM_API_URL' }),
      ],
    });
  }
  return codedError('not_configured', reason('no_model_usable', { models: outGroups(models) }), {
    fixes: [fix('add_key', { provider: 'glm' }), fix('run_doctor')],
  });
}

/** Whether it waits for a key or an address, and not for a list to change. */
function lacksProvider({ model, verdict }: Out, world: RouteWorld): boolean {
  const isSetUp = verdict.against === 'set_up' && !isListed(verdict);
  return isSetUp && world.openrouter(model) === undefined;
}

/** Whether a list of the settings leaves it out. */
function isListed({ reason: { code } }: Unable): boolean {
  return code === 'model_denied' || code === 'model_not_allowed';
}

const ALLOW_OTHERS = fix('omit_argument', { argument: 'fallback', value: 'none' });

const CLASS_AGAINST: Readonly<Record<Against, ErrorClass>> = {
  set_up: 'not_configured',
  breaker: 'breaker_open',
  window: 'context_length',
  budget: 'budget',
  price: 'budget',
  modality: 'validation',
  tools: 'validation',
  stops: 'validation',
  last_resort: 'validation',
};

/** Why the one model that was named cannot be asked, where nobody else may. */
export function namedError({ model, verdict }: Out, facts: RouteFacts): CallError {
  const { provider, id } = model;
  const why = reason('named_model_unable', {
    model: id,
    fallback: facts.fallback,
    reason: verdict.reason,
  });
  const who = { provider, model: id };
  const { contextTokens } = model;
  if (facts.fallback !== 'none') {
    const fixes = [advice('Send less, or ask for auto, which finds a model with a larger window.')];
    return codedError('context_length', why, {
      ...who,
      field: 'messages',
      fixes,
      contextTokens,
    });
  }
  const { against } = verdict;
  const known: ErrorFacts = {
    ...who,
    field: against === 'price' ? 'max_cost_usd' : 'model',
    fixes: namedFixes(model, verdict, facts),
    ...(against === 'window' && { contextTokens }),
    ...(against === 'breaker' && retryAfter([verdict])),
  };
  return codedError(CLASS_AGAINST[against], why, known);
}

function namedFixes({ provider }: Model, verdict: Unable, facts: RouteFacts): readonly Fix[] {
  if (verdict.against === 'price') return priceFixes(facts);
  if (verdict.against !== 'set_up') {
    return [ALLOW_OTHERS, advice('Or name another model; exai models lists them.')];
  }
  if (isListed(verdict)) {
    return [ALLOW_OTHERS, advice('Or change that list, or name another model.')];
  }
  const hasKey = descriptorOf(provider).needs === 'key';
  return [ALLOW_OTHERS, ...(hasKey ? [fix('add_key', { provider })] : []), fix('run_doctor')];
}

function restingError(resting: readonly Out[]): CallError {
  const wait = retryAfter(resting.map(({ verdict }) => verdict));
  const models = outGroups(resting);
  return codedError('breaker_open', reason('all_models_resting', { models }), {
    ...wait,
    fixes: [fix('retry', { afterMs: wait.retryAfterMs ?? 0 }), fix('add_key', {})],
  });
}

function retryAfter(verdicts: readonly Unable[]): { readonly retryAfterMs?: number } {
  const waits = verdicts.flatMap(({ retryInMs }) => (retryInMs === undefined ? [] : [retryInMs]));
  return waits.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.min(...waits)) };
}

function budgetError({ reason: spending }: NonNullable<RouteWorld['budget']>): CallError {
  return codedError('budget', reason('budget_used_up', { spending }), {
    fixes: [
      fix('raise_setting', {
        settings: ['budget.dailyUsd', 'budget.clientDailyUsd', 'budget.clients'],
      }),
      advice('Or wait for the next day.'),
    ],
  });
}

function priceError(out: readonly Out[], facts: RouteFacts): CallError {
  const { maxCostMicroUsd: limitMicroUsd = 0 } = facts;
  const why = reason('no_model_within_price', { limitMicroUsd, models: outGroups(out) });
  return codedError('budget', why, { field: 'max_cost_usd', fixes: priceFixes(facts) });
}

/** A shorter answer cannot cost as much. */
function priceFixes({ maxOutputTokens }: RouteFacts): readonly Fix[] {
  const argument = 'max_output_tokens';
  return [
    fix('raise_argument', { argument: 'max_cost_usd' }),
    fix(maxOutputTokens === undefined ? 'set_argument' : 'lower_argument', { argument }),
  ];
}

function windowError(out: readonly Out[], { context }: RouteFacts): CallError {
  const contextTokens = Math.max(...out.map(({ model }) => model.contextTokens));
  const fixes = [
    advice(
      context === 'whole'
        ? 'Send less at once: nothing of it is summarised or left out.'
        : 'Ask for less at once, or give long texts as files: those can be summarised.',
    ),
  ];
  const why = reason('question_too_long_for_all', { models: outGroups(out) });
  return codedError('context_length', why, { field: 'prompt', fixes, contextTokens });
}

function toolsError(out: readonly Out[]): CallError {
  return codedError('validation', reason('no_model_calls_tools', { models: outGroups(out) }), {
    field: 'tools',
    fixes: [advice('Give fewer tools.')],
  });
}
