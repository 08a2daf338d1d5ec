import { CallError } from '#core/errors/call-error.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { descriptorOf } from '#core/providers/list.ts';
import { oneLine } from '#core/text/text.ts';
import type { ModelDirectory, ModelStatus, ProviderStatus } from '#models/model-directory.ts';
import { slashNameFixes } from '#models/slash-name-fixes.ts';
import { explainNoUsableModel } from '../reporting/models.ts';

export const STANCES = ['for', 'against', 'neutral'] as const;
export type Stance = (typeof STANCES)[number];

/** A panelist as the caller names it. */
interface PanelistInput {
  readonly model: string;
  readonly stance?: Stance | undefined;
  readonly stance_prompt?: string | undefined;
}

/** A model on the panel, with its stance. */
export interface Panelist {
  /** The name as given; a model that cannot be asked fails with its own error later. */
  readonly name: string;
  /** The resolved model id, or the name if it is unknown. */
  readonly model: string;
  /** The model, with its stance if it is on the panel twice. */
  readonly label: string;
  /** How the other panelists see it: a model name would bias them. */
  readonly letter: string;
  readonly stance: Stance;
  /** Instructions for the stance; may be empty. */
  readonly stancePrompt: string;
}

const MAX_OF_ONE = 2;
const MAX_LABEL_CHARS = 80;
const LETTERS = 'ABCDEFGH';

/**
 * Resolves the panel. Throws `validation` for a duplicate, under whichever alias, and `not_found`
 * for unknown names.
 */
export function readPanelists(
  named: readonly PanelistInput[],
  modelDirectory: Pick<ModelDirectory, 'resolve' | 'providers'>,
): readonly Panelist[] {
  const byModel = new Map<string, Stance[]>();
  const known = named.map(
    ({ model: given, stance = 'neutral', stance_prompt: stancePrompt = '' }) => {
      const name = given.trim();
      if (name === '' || name.toLowerCase() === 'auto') throw unnamedModel();
      const resolved = modelDirectory.resolve(name);
      const model = oneLine(resolved.is === 'found' ? resolved.model.id : name, MAX_LABEL_CHARS);
      const key =
        resolved.is === 'found'
          ? `${resolved.model.provider} ${resolved.model.id}`
          : `? ${name.toLowerCase()}`;
      const stances = byModel.get(key) ?? [];
      if (stances.includes(stance)) throw twice(model, stance);
      if (stances.length === MAX_OF_ONE) throw tooOften(model);
      byModel.set(key, [...stances, stance]);
      return { key, name, model, stance, stancePrompt: stancePrompt.trim() };
    },
  );
  checkKnown(
    known.map(({ name }) => name),
    modelDirectory,
  );
  return known.map(({ key, ...panelist }, at) => {
    const isAlone = byModel.get(key)?.length === 1;
    const label = isAlone ? panelist.model : `${panelist.model} (${panelist.stance})`;
    return { ...panelist, label, letter: LETTERS[at] ?? String(at + 1) };
  });
}

function unnamedModel(): CallError {
  return new CallError('validation', '"models" has an entry that names no model.', {
    field: 'models',
    fixes: [
      'Name each of them.',
      fix('list_models'),
      fix('omit_argument', { argument: 'models' }),
      'Then three are chosen.',
    ],
  });
}

function twice(model: string, stance: Stance): CallError {
  return new CallError('validation', `"models" has ${model} twice with the stance ${stance}.`, {
    field: 'models',
    fix: 'Give it another stance (for, against, neutral), or name another model.',
  });
}

function tooOften(model: string): CallError {
  return new CallError('validation', `"models" has ${model} more than twice.`, {
    field: 'models',
    fix: 'Name other models: one that is asked again and again is still one opinion.',
  });
}

type Directory = Pick<ModelDirectory, 'models' | 'providers' | 'resolve'>;

const SIZE = 3;
const LEAST = 2;
/** Roles from the strongest to the weakest; models without a role come last. */
const RANKS = [/Quality$/, /Default$/, /Speed$/, /./] as const;

/** What a question needs of its panel. */
interface PanelNeeds {
  readonly withImages: boolean;
}

/**
 * Chooses models for a question that names none: strong ones first, of different providers where
 * possible.
 */
export function choosePanel(modelDirectory: Directory, question: PanelNeeds): readonly string[] {
  const able = modelDirectory
    .models()
    .filter((standing) => isAble(standing, modelDirectory, question));
  const inOrder = able.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) || byStrength(a, b) || b.model.contextTokens - a.model.contextTokens,
  );
  const isWelcome = notDearerThan(inOrder);
  const chosen: ModelStatus[] = [];
  const take = (standing: ModelStatus) => {
    const isNew = !chosen.some(({ model }) => isSameModel(model.id, standing.model.id));
    if (chosen.length < SIZE && isNew) chosen.push(standing);
  };
  for (const standing of inOrder) {
    const isOther = !chosen.some(({ model }) => model.provider === standing.model.provider);
    if (isOther && isWelcome(standing)) take(standing);
  }
  inOrder.filter(isWelcome).forEach(take);
  inOrder.forEach(take);
  if (chosen.length < LEAST) throw tooFew(modelDirectory, chosen, question);
  return chosen.map(({ model }) => model.id);
}

function isAble(
  { model, isUsable }: ModelStatus,
  modelDirectory: Directory,
  { withImages }: PanelNeeds,
): boolean {
  if (!isUsable || model.state !== 'live' || model.provider === 'extractive') return false;
  if (withImages && !model.input.includes('image')) return false;
  // Two providers may have a model with the same name, which then resolves to one of them.
  const resolved = modelDirectory.resolve(model.id);
  return (
    resolved.is === 'found' &&
    resolved.model.provider === model.provider &&
    resolved.model.id === model.id
  );
}

function rankOf({ roles }: ModelStatus): number {
  const rank = RANKS.findIndex((part) => roles.some((role) => part.test(role)));
  return rank === -1 ? RANKS.length : rank;
}

/** Among models without a role, those that think come first. */
function byStrength(a: ModelStatus, b: ModelStatus): number {
  const thinks = ({ model }: ModelStatus) => (model.thinking.control === 'never' ? 0 : 1);
  return rankOf(a) < RANKS.length ? 0 : thinks(b) - thinks(a);
}

/**
 * Whether a model is affordable: one without a role may cost no more than those with one, so that
 * no bill surprises.
 */
function notDearerThan(standings: readonly ModelStatus[]): (standing: ModelStatus) => boolean {
  const prices = standings.flatMap((each) =>
    rankOf(each) < RANKS.length ? (each.model.price?.output ?? []) : [],
  );
  if (prices.length === 0) return () => true;
  const most = Math.max(...prices);
  return (standing) => {
    const { price, provider } = standing.model;
    const isChosen = rankOf(standing) < RANKS.length;
    return isChosen || (price === undefined ? provider === 'custom' : price.output <= most);
  };
}

/** Whether two ids are one model: OpenRouter names it `vendor/model`. */
function isSameModel(a: string, b: string): boolean {
  const base = (id: string) => id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return base(a) === base(b);
}

function tooFew(
  modelDirectory: Directory,
  [only]: readonly ModelStatus[],
  { withImages }: PanelNeeds,
): CallError {
  const seeing = withImages ? ' that sees pictures' : '';
  const providers = modelDirectory.providers();
  if (!only) {
    const why = explainNoUsableModel(providers, modelDirectory.models());
    const other = withImages ? fix('omit_argument', { argument: 'images' }) : fix('run_doctor');
    const isSetUp = providers.some(({ id, configured }) => configured && id !== 'extractive');
    return new CallError('not_configured', `No model${seeing} can be asked.`, {
      field: 'models',
      fixes: why === undefined ? [other] : isSetUp ? [`${why}.`] : [moreModels(providers)],
    });
  }
  const { id } = only.model;
  return new CallError(
    'not_configured',
    `A consensus needs two models, and ${id} is the only one${seeing} that can be asked.`,
    {
      field: 'models',
      fixes: [
        moreModels(providers),
        `Or name ${id} twice in models with the stances for and against.`,
      ],
    },
  );
}

/** A key that is missing; with all of them, the providers may have new models. */
function moreModels(providers: readonly ProviderStatus[]): Fix {
  const [provider, ...others] = providers.flatMap(({ id, configured }) =>
    !configured && descriptorOf(id).needs === 'key' ? [id] : [],
  );
  if (provider === undefined) return fix('refresh_models');
  return fix('add_key', { provider, ...(others.length > 0 && { others }) });
}

type NameResolver = Pick<ModelDirectory, 'resolve' | 'providers'>;

const MAX_SHOWN_CHARS = 80;

/** Throws before any model is asked, and paid for, if one of the names is unknown. */
function checkKnown(names: readonly string[], modelDirectory: NameResolver): void {
  const unknown = names.flatMap((name) => {
    const resolved = modelDirectory.resolve(name);
    if (resolved.is === 'found' || mayBeElsewhere(name, modelDirectory)) return [];
    return [{ shown: oneLine(name, MAX_SHOWN_CHARS), nearest: resolved.nearest }];
  });
  if (unknown.length === 0) return;
  const sentences = new Set(
    unknown.map(({ shown, nearest }) => {
      const hint = nearest === undefined ? '.' : `, did you mean "${nearest}"?`;
      return `There is no model "${shown}"${hint}`;
    }),
  );
  const isRouted = unknown.some(({ shown }) => shown.includes('/'));
  const isConfigured = isProviderConfigured('openrouter', modelDirectory);
  const routed = isRouted ? slashNameFixes(isConfigured ? 'configured' : 'not_configured') : [];
  throw new CallError('not_found', [...sentences].join(' '), {
    field: 'models',
    fixes: [
      fix('list_models'),
      fix('omit_argument', { argument: 'models' }),
      'Without models three are chosen.',
      ...routed,
    ],
  });
}

/**
 * Whether a name with a slash may be a model of a custom server or of OpenRouter, whose lists are
 * never complete.
 */
function mayBeElsewhere(name: string, modelDirectory: NameResolver): boolean {
  const [, before] = /^([^/\s]+)\/\S/.exec(name) ?? [];
  if (before === undefined) return false;
  const owner: ProviderId = /^(?:custom|local)$/i.test(before) ? 'custom' : 'openrouter';
  return isProviderConfigured(owner, modelDirectory);
}

function isProviderConfigured(wanted: ProviderId, modelDirectory: NameResolver): boolean {
  return modelDirectory.providers().some(({ id, configured }) => id === wanted && configured);
}
