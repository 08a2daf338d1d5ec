import type { RouteFacts } from '#core/llm/route.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { ModelHealth, RoutingState } from '#manager/route/routing-state.ts';
import { assumeModel } from '#models/assume-model.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';
import {
  DEFAULT_ROLES,
  resolveRole,
  ROLE_NAMES,
  withRoleModels,
  type RoleName,
} from '#models/roles.ts';
import { EXTRACTIVE_MODEL } from '#providers/extractive/extractive-model.ts';

export const CATALOGUE = createCatalogue();

/**
 * The routing state as a test describes it; what it does not say is as with the two keys and nothing
 * broken.
 */
export interface RoutingSketch {
  readonly keys?: readonly ProviderId[];
  /** Names of models, or providers. */
  readonly open?: readonly string[];
  readonly halfOpen?: readonly string[];
  readonly denied?: readonly string[];
  readonly roles?: Readonly<Partial<Record<RoleName, string>>>;
  readonly noSearch?: readonly ProviderId[];
  readonly firstTokenMs?: Readonly<Record<string, number>>;
  readonly correction?: number;
  readonly budgetLeftMicroUsd?: number;
  readonly whenSpent?: RoutingState['whenSpent'];
  readonly intelligentSelection?: 'on' | 'off';
  readonly defaultModel?: string;
  readonly extractiveFallback?: RoutingState['extractiveFallback'];
  /** Changes every model before it enters the state. */
  readonly change?: (model: Model) => Model;
}

const VENDOR: Readonly<Partial<Record<ProviderId, string>>> = { kimi: 'moonshotai', glm: 'z-ai' };

export function sketchRoutingState(sketch: RoutingSketch = {}): RoutingState {
  const { keys = ['kimi', 'glm'], open = [], halfOpen = [], denied = [], noSearch = [] } = sketch;
  const change = sketch.change ?? ((model: Model) => model);
  const roles = withRoleModels(sketch.roles ?? {}, DEFAULT_ROLES);
  const named = (list: readonly string[], model: Model) =>
    list.includes(model.id) || list.includes(model.provider);
  const custom = keys.includes('custom')
    ? [change({ ...assumeModel('qwen3', 'custom'), contextTokens: 32_768, confidence: 'high' })]
    : [];
  return {
    roles: Object.fromEntries(
      ROLE_NAMES.map((name) => [name, resolveRole(CATALOGUE, roles, name).models.map(change)]),
    ) as unknown as RoutingState['roles'],
    custom,
    openrouter(like) {
      if (!keys.includes('openrouter')) return undefined;
      return { ...like, id: `${VENDOR[like.provider]}/${like.id}`, provider: 'openrouter' };
    },
    extractiveModel: EXTRACTIVE_MODEL,
    resolve(name) {
      if (name === 'local') return { is: 'found', model: EXTRACTIVE_MODEL };
      const own = custom.find(({ id }) => id === name);
      if (own) return { is: 'found', model: own };
      const resolved = CATALOGUE.resolve(name);
      return resolved.is === 'found' ? { ...resolved, model: change(resolved.model) } : resolved;
    },
    obstacle(model) {
      if (model.provider !== 'extractive' && !keys.includes(model.provider)) {
        return reason('no_key', { provider: model.provider });
      }
      if (!named(denied, model)) return undefined;
      return reason('model_denied', {
        setting: `models.deny.${model.provider}`,
        pattern: model.id,
      });
    },
    health(model): ModelHealth {
      if (named(open, model)) {
        return { is: 'open', reason: failing(model), retryInMs: 12_000 };
      }
      return { is: named(halfOpen, model) ? 'half_open' : 'closed' };
    },
    canSearch: ({ provider }) =>
      ['kimi', 'glm', 'openrouter'].includes(provider) && !noSearch.includes(provider),
    firstTokenMs: ({ id }) => sketch.firstTokenMs?.[id],
    correction: () => sketch.correction ?? 1,
    budget:
      sketch.budgetLeftMicroUsd === undefined
        ? undefined
        : { leftMicroUsd: sketch.budgetLeftMicroUsd, reason: SPENT },
    whenSpent: sketch.whenSpent ?? 'step_down',
    intelligentSelection: sketch.intelligentSelection ?? 'on',
    defaultModel: sketch.defaultModel ?? 'auto',
    extractiveFallback: sketch.extractiveFallback ?? 'text',
  };
}

/** A short plain question to a tool that no rule knows. */
export function sketchFacts(more: Partial<RouteFacts> = {}): RouteFacts {
  return {
    tool: 'something',
    category: 'balanced',
    tokens: 200,
    files: { count: 0, tokens: 0, documents: 0, scans: 0 },
    images: 0,
    videos: 0,
    search: 'auto',
    tools: 0,
    format: 'text',
    cjkShare: 0,
    locale: 'en-AU',
    hasCode: false,
    fallback: 'chain',
    lastResort: 'local',
    ...more,
  };
}

const SPENT = reason('spent_today', {
  spentMicroUsd: 2_000_000,
  limitMicroUsd: 2_000_000,
  setting: 'budget.dailyUsd',
});

function failing({ provider, id }: Model): Reason {
  return reason('breaker_open', {
    key: `${provider}/${id}`,
    how: 'window',
    classes: ['timeout'],
    failures: 5,
    calls: 6,
    windowMs: 60_000,
    state: 'resting',
    retryInMs: 12_000,
  });
}
