import type { Intent } from '#core/llm/ask.ts';
import type { ExcludedCandidate, RouteFacts } from '#core/llm/route.ts';
import type { Reason } from '#core/messages/reasons.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Model } from '#models/model.ts';
import { ROLE_NAMES } from '#models/roles.ts';
import { chooseClass, type Classified } from '../classify/request-class.ts';
import type { RoutingState } from './routing-state.ts';
import {
  checkEligibility,
  extractiveDisabled,
  type Eligibility,
  type Ineligible,
} from './eligibility.ts';

/**
 * A model named by the caller, a setting or the thread; `model` is absent when the name is unknown.
 */
export interface RequestedModel {
  readonly name: string;
  /**
   * `caller`: by the request; `setting`: the default model; `thread`: the model of the
   * conversation.
   */
  readonly by: 'caller' | 'setting' | 'thread';
  /** The alias that the caller wrote, if the gateway settings map it to this name. */
  readonly writtenAs?: string;
  /** Whether the name is in no list and only its provider can know it. */
  readonly isOnTrust?: true;
  readonly model?: Model;
}

/** Everything that routing rules read. */
export interface RoutingContext {
  readonly facts: RouteFacts;
  readonly routing: RoutingState;
  readonly classified: Classified;
  readonly named?: RequestedModel;
  readonly locked?: RequestedModel;
  /** Cached per model. */
  readonly checkEligibility: (model: Model) => Eligibility;
}

/** An ineligible model, and why. */
export interface IneligibleModel {
  readonly model: Model;
  readonly verdict: Ineligible;
}

export interface PlanningContext extends RoutingContext {
  /** All ineligible models: the usual ones, then those that rules and the chain checked. */
  readonly excluded: () => readonly IneligibleModel[];
}

export interface RequestedModels {
  readonly named?: RequestedModel;
  readonly locked?: RequestedModel;
}

/** Creates the context of the rules. Eligibility is checked lazily, and once per model. */
export function createRoutingContext(
  facts: RouteFacts,
  routing: RoutingState,
  intent: Intent | undefined,
  names: RequestedModels,
): PlanningContext {
  // Two objects may describe one model; rules check the same few objects repeatedly.
  const seen = new Map<string, { readonly model: Model; readonly verdict: Eligibility }>();
  const known = new Map<Model, Eligibility>();
  const look = (model: Model): Eligibility => {
    const before = known.get(model);
    if (before) return before;
    const key = modelIdentity(model);
    let looked = seen.get(key);
    if (!looked) {
      looked = { model, verdict: checkEligibility(model, facts, routing) };
      seen.set(key, looked);
    }
    known.set(model, looked.verdict);
    return looked.verdict;
  };
  const { named, locked } = names;
  return {
    facts,
    routing,
    classified: chooseClass(facts, intent),
    checkEligibility: look,
    excluded() {
      const models = new Map<string, Model>();
      for (const model of usual(names, routing)) models.set(modelIdentity(model), model);
      for (const [key, { model }] of seen) models.set(key, model);
      return [...models.values()].flatMap((model) => {
        const verdict = look(model);
        return verdict.is === 'ineligible' ? [{ model, verdict }] : [];
      });
    },
    ...(named && { named }),
    ...(locked && { locked }),
  };
}

/** Models that a plan always reports on, whether a rule checked them or not. */
function usual({ named, locked }: RequestedModels, routing: RoutingState): readonly Model[] {
  const byName = [named, locked].flatMap((each) => each?.model ?? []);
  const parts = ROLE_NAMES.flatMap((role) => (role === 'manager' ? [] : routing.roles[role]));
  return [...byName, ...parts, ...topCustomModels(routing), routing.extractiveModel];
}

/** The excluded models for reports and `explain`, including a disabled extractive fallback. */
export function excludedModels(context: PlanningContext): readonly ExcludedCandidate[] {
  const { facts, routing, named } = context;
  const excluded = context.excluded().map(({ model, verdict }) => entry(model, verdict.reason));
  const disabled = extractiveDisabled(facts, routing);
  const isNamed = named?.model?.provider === 'extractive';
  if (
    disabled === undefined ||
    isNamed ||
    context.checkEligibility(routing.extractiveModel).is !== 'eligible'
  )
    return excluded;
  return [...excluded, entry(routing.extractiveModel, disabled)];
}

function entry({ provider, id }: Model, reason: Reason): ExcludedCandidate {
  return { provider, model: id, reason };
}

/** OpenRouter's equivalents of these models, each once. */
export function openRouterEquivalents(
  { routing }: RoutingContext,
  likes: readonly Model[],
): readonly Model[] {
  const found = new Map<string, Model>();
  for (const like of likes) {
    if (descriptorOf(like.provider).openRouterVendor === undefined) continue;
    const model = routing.openrouter(like);
    if (model) found.set(modelIdentity(model), model);
  }
  return [...found.values()];
}

/** A key that identifies a model: two providers may have models of the same name. */
export function modelIdentity({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider} ${id}`;
}

/**
 * A server may list thousands of models; only the best are candidates, the others must be requested
 * by name.
 */
const MAX_MODELS = 8;

export function topCustomModels({ custom }: Pick<RoutingState, 'custom'>): readonly Model[] {
  return custom.slice(0, MAX_MODELS);
}
