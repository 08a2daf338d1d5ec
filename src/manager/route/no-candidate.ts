import type { CallError, ErrorFacts } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { GATEWAY_OPERATIONS } from '#core/llm/gateway.ts';
import type { InlineMedia, RouteFacts } from '#core/llm/route.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { groupModels, type ModelGroup } from '#core/messages/model-groups.ts';
import { INSTALL_FFMPEG } from '#core/programs/install-ffmpeg.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { InlineRule } from '#core/providers/assumption.ts';
import { descriptorOf, PROVIDERS, type ProviderId } from '#core/providers/list.ts';
import { fitsRule, inlineRule, type MediaKind } from '#models/inline-media.ts';
import type { Model } from '#models/model.ts';
import { breakerFixes } from '../breaker-fixes.ts';
import { limitedClass, openedBy } from '../limited-class.ts';
import { isScalable, toolsReason, type IneligibilityKind, type Ineligible } from './eligibility.ts';
import type { IneligibleModel, PlanningContext } from './routing-context.ts';
import type { RoutingState } from './routing-state.ts';

/**
 * The error when no model is eligible, by what would help most: waiting, money, a shorter question,
 * a key.
 */
export function noCandidateError({
  excluded,
  facts,
  routing,
  named,
}: Pick<PlanningContext, 'excluded' | 'facts' | 'routing' | 'named'>): CallError {
  const models = excluded().filter(({ model }) => model.provider !== 'extractive');
  const of = (kind: IneligibilityKind) => models.filter(({ verdict }) => verdict.kind === kind);
  const coolingDown = of('breaker');
  if (coolingDown.length > 0) return coolingDownError(coolingDown);
  if (routing.budget && of('budget').length > 0) return budgetError(routing.budget);
  if (of('price').length > 0) return priceError(of('price'), facts);
  if (of('window').length > 0) return windowError(of('window'), facts);
  // A key helps only if a model that lacks one could take the request.
  const unset = of('set_up').map(({ model }) => model);
  const tools = of('tools');
  if (tools.length > 0 && unset.every((model) => toolsReason(model, facts))) {
    return toolsError(tools);
  }
  if (of('modality').length > 0) return unsupportedMediaError(of('modality'), facts, routing);
  if (models.some(({ verdict }) => verdict.reason.code === 'provider_offline')) {
    return codedError('not_configured', reason('no_model_on_machine'), {
      fixes: [
        fix('unset_setting', { setting: 'network.offline', variable: 'EXAI_OFFLINE' }),
        fix('set_setting', { setting: 'CUSTOM_API_URL', value: 'a server on this machine' }),
      ],
    });
  }
  if (models.every((each) => lacksProvider(each, routing))) {
    return codedError('not_configured', reason('no_provider_set_up'), {
      fixes: [
        ...addKeyFix(KEY_PROVIDERS, named?.model),
        fix('set_setting', { setting: 'CUSTOM_API_URL' }),
      ],
    });
  }
  const lacking = models.flatMap(({ model: { provider }, verdict }) =>
    verdict.reason.code === 'no_key' ? [provider] : [],
  );
  return codedError(
    'not_configured',
    reason('no_model_usable', { models: groupExcluded(models) }),
    {
      fixes: [...addKeyFix([...new Set(lacking)], named?.model), fix('run_doctor')],
    },
  );
}

const KEY_PROVIDERS = PROVIDERS.filter(({ needs }) => needs === 'key').map(({ id }) => id);
/** Suggested first, as it has free models. */
const USUAL_PROVIDER: ProviderId = 'glm';

/** A key of one of the providers: that of the requested model, the usual one, or the first. */
function addKeyFix(
  providers: readonly ProviderId[],
  requested: Pick<Model, 'provider'> | undefined,
): readonly Fix[] {
  const preferred = [requested?.provider, USUAL_PROVIDER, ...providers];
  const provider = preferred.find((each) => each !== undefined && providers.includes(each));
  if (provider === undefined) return [];
  const others = providers.filter((each) => each !== provider);
  return [fix('add_key', { provider, ...(others.length > 0 && { others }) })];
}

/** Whether the model only lacks a key or an address. */
function lacksProvider({ model, verdict }: IneligibleModel, routing: RoutingState): boolean {
  const isSetUp = verdict.kind === 'set_up' && !isListed(verdict);
  return isSetUp && routing.openrouter(model) === undefined;
}

/** Whether an allow or deny list of the settings excludes it. */
function isListed({ reason: { code } }: Ineligible): boolean {
  return code === 'model_denied' || code === 'model_not_allowed';
}

const ALLOW_OTHERS = fix('omit_argument', { argument: 'fallback', value: 'none' });

const ERROR_CLASS: Readonly<Record<IneligibilityKind, ErrorClass>> = {
  set_up: 'not_configured',
  breaker: 'breaker_open',
  window: 'context_length',
  budget: 'budget',
  price: 'budget',
  modality: 'validation',
  tools: 'validation',
  last_resort: 'validation',
};

/** The error when the requested model is ineligible and no other may answer. */
export function requestedModelError(
  { model, verdict }: IneligibleModel,
  facts: RouteFacts,
): CallError {
  const { provider, id } = model;
  const why = reason('named_model_unable', {
    model: id,
    fallback: facts.fallback,
    reason: verdict.reason,
  });
  const who = { provider, model: id };
  const { contextTokens } = model;
  if (facts.fallback !== 'none') {
    return codedError('context_length', why, {
      ...who,
      field: 'messages',
      fixes: [fix('send_less'), fix('set_argument', { argument: 'model', value: 'auto' })],
      contextTokens,
    });
  }
  const { kind } = verdict;
  const known: ErrorFacts = {
    ...who,
    field: kind === 'price' ? 'max_cost_usd' : 'model',
    fixes: namedFixes(model, verdict, facts),
    ...(kind === 'window' && { contextTokens }),
    ...(kind === 'breaker' && retryAfter([verdict])),
  };
  return codedError(ERROR_CLASS[kind], why, known);
}

function namedFixes({ provider }: Model, verdict: Ineligible, facts: RouteFacts): readonly Fix[] {
  const { kind, reason: why } = verdict;
  if (kind === 'price') return priceFixes(facts);
  if (kind === 'budget') {
    // Free models may still answer then.
    const others = why.code === 'model_costs_money' ? [ALLOW_OTHERS] : [];
    return [...budgetFixes(why), ...others];
  }
  if (kind === 'breaker') return [ALLOW_OTHERS, ...breakerFixes([why], verdict.retryInMs)];
  if (kind !== 'set_up') return [ALLOW_OTHERS, fix('use_other_model'), fix('list_models')];
  if (why.code === 'model_denied' || why.code === 'model_not_allowed') {
    const { setting } = why.params;
    return [ALLOW_OTHERS, fix('correct_setting', { setting }), fix('use_other_model')];
  }
  const hasKey = descriptorOf(provider).needs === 'key';
  return [ALLOW_OTHERS, ...(hasKey ? [fix('add_key', { provider })] : []), fix('run_doctor')];
}

function coolingDownError(coolingDown: readonly IneligibleModel[]): CallError {
  const wait = retryAfter(coolingDown.map(({ verdict }) => verdict));
  const models = groupExcluded(coolingDown);
  const reasons = coolingDown.map(({ verdict }) => verdict.reason);
  const fixes = breakerFixes(reasons, wait.retryAfterMs);
  // A provider more helps where nothing but time would.
  const isTime = fixes.every(({ kind }) => kind === 'retry');
  const opened = reasons.map((why) => openedBy(why) ?? 'breaker_open');
  const errorClass = limitedClass(opened) ?? 'breaker_open';
  return codedError(errorClass, reason('all_models_resting', { models }), {
    ...wait,
    fixes: isTime ? [...fixes, fix('add_key', {})] : fixes,
  });
}

function retryAfter(verdicts: readonly Ineligible[]): { readonly retryAfterMs?: number } {
  const waits = verdicts.flatMap(({ retryInMs }) => (retryInMs === undefined ? [] : [retryInMs]));
  return waits.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.min(...waits)) };
}

function budgetError({ reason: spending }: NonNullable<RoutingState['budget']>): CallError {
  return codedError('budget', reason('budget_used_up', { spending }), {
    fixes: [...budgetFixes(spending), advice('Or wait for the next day.')],
  });
}

/**
 * Raise the one limit that is used up. Only the limit of all clients together is shown without its
 * setting.
 */
function budgetFixes(why: Reason): readonly Fix[] {
  const spending = why.code === 'model_costs_money' ? why.params.spending : why;
  const setting = spending.code === 'spent_today' ? spending.params.setting : 'budget.dailyUsd';
  return [fix('raise_setting', { settings: [setting] })];
}

function priceError(excluded: readonly IneligibleModel[], facts: RouteFacts): CallError {
  const { maxCostMicroUsd: limitMicroUsd = 0 } = facts;
  const why = reason('no_model_within_price', { limitMicroUsd, models: groupExcluded(excluded) });
  return codedError('budget', why, { field: 'max_cost_usd', fixes: priceFixes(facts) });
}

/** Raise the limit, shorten the answer, which lowers its maximum cost, or set no limit. */
function priceFixes({ maxOutputTokens }: RouteFacts): readonly Fix[] {
  const argument = 'max_output_tokens';
  return [
    fix('raise_argument', { argument: 'max_cost_usd' }),
    fix(maxOutputTokens === undefined ? 'set_argument' : 'lower_argument', { argument }),
    fix('omit_argument', { argument: 'max_cost_usd' }),
  ];
}

function windowError(excluded: readonly IneligibleModel[], { context }: RouteFacts): CallError {
  const contextTokens = Math.max(...excluded.map(({ model }) => model.contextTokens));
  const fixes = [
    advice(
      context === 'whole'
        ? 'Send less at once: nothing of it is summarised or left out.'
        : 'Ask for less at once, or give long texts as files: those can be summarised.',
    ),
  ];
  const why = reason('question_too_long_for_all', { models: groupExcluded(excluded) });
  return codedError('context_length', why, { field: 'prompt', fixes, contextTokens });
}

function toolsError(excluded: readonly IneligibleModel[]): CallError {
  return codedError(
    'validation',
    reason('no_model_calls_tools', { models: groupExcluded(excluded) }),
    {
      field: 'tools',
      fixes: [advice('Give fewer tools.')],
    },
  );
}

/** The provider that supports most types of a kind. */
const OTHERS: Readonly<Record<MediaKind, { readonly text: string; readonly provider: string }>> = {
  image: { text: 'Kimi takes most types.', provider: 'kimi' },
  video: { text: 'Kimi takes most types.', provider: 'kimi' },
  file: { text: 'OpenRouter reads documents such as PDF.', provider: 'openrouter' },
};

const INSTEAD: Readonly<Record<MediaKind, string>> = {
  image: 'Say in words what is in it.',
  video: 'Send pictures of it, or say in words what is in it.',
  file: 'Send its text.',
};

/** The error for media that no available model supports, with what to send instead. */
function unsupportedMediaError(
  excluded: readonly IneligibleModel[],
  facts: RouteFacts,
  { scaling }: Pick<RoutingState, 'scaling'>,
): CallError {
  const { rule, media } = misfit(excluded, facts.inline ?? []) ?? {};
  const kind = media?.kind ?? kindOf(facts);
  const why = reason('no_model_takes_media', {
    media: kind === 'file' ? 'document' : kind,
    models: groupExcluded(excluded),
  });
  const { text, provider } = OTHERS[kind];
  const install =
    scaling === 'missing' && media && isScalable(media) ? [advice(INSTALL_FFMPEG)] : [];
  return codedError('validation', why, {
    field: fieldOf(kind, media, facts),
    fixes: [
      ...install,
      advice(rule?.fix ?? INSTEAD[kind]),
      advice(text),
      fix('add_key', { provider }),
    ],
  });
}

/**
 * The first attachment whose type or size a vendor refuses although its models support the kind.
 */
function misfit(
  excluded: readonly IneligibleModel[],
  inline: readonly InlineMedia[],
): { readonly rule: InlineRule; readonly media: InlineMedia } | undefined {
  for (const media of inline) {
    for (const { model } of excluded) {
      const rule = inlineRule(model.provider, media.kind);
      if (rule && model.input.includes(media.kind) && !fitsRule(rule, media))
        return { rule, media };
    }
  }
  return undefined;
}

function kindOf({ files, videos }: RouteFacts): MediaKind {
  if ((files.attached ?? 0) > 0) return 'file';
  return videos > 0 ? 'video' : 'image';
}

function fieldOf(
  kind: MediaKind,
  media: InlineMedia | undefined,
  { tool, inline = [] }: RouteFacts,
): string {
  // Tools have one argument for all their images.
  if (tool !== GATEWAY_OPERATIONS.chat && kind === 'image') return 'images';
  return (media ?? inline.find((each) => each.kind === kind))?.field ?? 'messages';
}

/** Excluded models, grouped by reason. */
function groupExcluded(excluded: readonly IneligibleModel[]): readonly ModelGroup[] {
  return groupModels(
    excluded.map(({ model, verdict }) => ({
      provider: model.provider,
      model: model.id,
      reason: verdict.reason,
    })),
  );
}
