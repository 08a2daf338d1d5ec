import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { PROVIDER_IDS, type ProviderId } from '#core/llm/provider.ts';
import type { Model } from './model.ts';
import { createNameMatcher } from './model-name.ts';

type PatternsByProvider = Readonly<Partial<Record<ProviderId, readonly string[]>>>;

/** Model names or aliases per provider, ignoring case, with `*` for any characters. */
export interface ModelLists {
  /** Without a list, or with an empty one, all models of a provider are allowed. */
  readonly allow?: PatternsByProvider;
  /** Overrides `allow`. */
  readonly deny?: PatternsByProvider;
}

export interface RefusedModel {
  readonly provider: ProviderId;
  readonly id: string;
  readonly reason: Reason;
}

export interface PermittedModels<M extends Model> {
  readonly models: readonly M[];
  readonly refused: readonly RefusedModel[];
  /** One notice per provider whose live models are all refused. */
  readonly notices: readonly Notice[];
}

/**
 * Filters models by the lists. The name of a retired model does not allow its successor: a list
 * allows only what it names.
 */
export function filterPermitted<M extends Model>(
  models: readonly M[],
  lists: ModelLists,
): PermittedModels<M> {
  const reasonsAgainst = listedReasons(lists);
  const kept: M[] = [];
  const refused: RefusedModel[] = [];
  for (const model of models) {
    const against = reasonsAgainst(model);
    if (against === undefined) kept.push(model);
    else refused.push({ provider: model.provider, id: model.id, reason: against });
  }
  const ids = new Set<ProviderId>([...PROVIDER_IDS, ...models.map(({ provider }) => provider)]);
  const emptied = [...ids].filter((id) => hasLive(models, id) && !hasLive(kept, id));
  const notices = emptied.map((id) =>
    notice('provider_models_excluded', { provider: id, settings: settings(id, lists) }),
  );
  if (emptied.length > 0 && !kept.some(({ state }) => state === 'live')) {
    throw new CallError('not_configured', notices.map(baseRenderer.notice).join(' '), {
      field: emptied.flatMap((id) => settings(id, lists)).join(', '),
      fixes: ['Name at least one model that there is, or remove the list.', fix('list_models')],
    });
  }
  return { models: kept, refused, notices };
}

interface Matcher {
  readonly allow: ReturnType<typeof createNameMatcher> | undefined;
  readonly deny: ReturnType<typeof createNameMatcher> | undefined;
}

/** Returns why the lists exclude a model; undefined if they do not. */
export function listedReasons(lists: ModelLists): (model: Model) => Reason | undefined {
  const matchers = new Map<ProviderId, Matcher>(
    PROVIDER_IDS.map((id) => [
      id,
      { allow: matcherOf(patterns(lists.allow, id)), deny: matcherOf(patterns(lists.deny, id)) },
    ]),
  );
  return ({ provider, id, aliases }) => {
    const { allow, deny } = matchers.get(provider) ?? NO_LISTS;
    if (!allow && !deny) return undefined;
    const names = [id, ...aliases];
    const denied = names.map((name) => deny?.(name)).find((each) => each !== undefined);
    if (denied !== undefined) {
      return reason('model_denied', { setting: `models.deny.${provider}`, pattern: denied });
    }
    if (!allow || names.some((name) => allow(name) !== undefined)) return undefined;
    return reason('model_not_allowed', { setting: `models.allow.${provider}` });
  };
}

const NO_LISTS: Matcher = { allow: undefined, deny: undefined };

function matcherOf(listed: readonly string[]): Matcher['allow'] {
  return listed.length > 0 ? createNameMatcher(listed) : undefined;
}

function patterns(lists: PatternsByProvider | undefined, provider: ProviderId): readonly string[] {
  return (lists?.[provider] ?? []).filter((pattern) => pattern.trim() !== '');
}

function hasLive(models: readonly Model[], provider: ProviderId): boolean {
  return models.some((model) => model.provider === provider && model.state === 'live');
}

function settings(provider: ProviderId, lists: ModelLists): readonly string[] {
  return (['allow', 'deny'] as const)
    .filter((kind) => patterns(lists[kind], provider).length > 0)
    .map((kind) => `models.${kind}.${provider}`);
}
