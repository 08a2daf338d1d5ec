import { CallError } from '#core/call-error.ts';
import type { ModelDesk, ModelStanding } from '#models/desk.ts';
import { noneUsable } from '../reporting/none-usable.ts';

type Desk = Pick<ModelDesk, 'models' | 'providers' | 'resolve'>;

const SIZE = 3;
const LEAST = 2;
/** From the strongest part to the weakest; who plays none comes last. */
const RANKS = [/Quality$/, /Default$/, /Speed$/, /./] as const;

/** Names of models for a question that names none: of different providers as far as there are any, strong ones first. */
export function choosePanel(desk: Desk, images: 'yes' | 'no'): readonly string[] {
  const able = desk.models().filter((standing) => isAble(standing, desk, images));
  const inOrder = able.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) || byStrength(a, b) || b.model.contextTokens - a.model.contextTokens,
  );
  const isWelcome = notDearerThan(inOrder);
  const chosen: ModelStanding[] = [];
  const take = (standing: ModelStanding) => {
    const isNew = !chosen.some(({ model }) => isSameModel(model.id, standing.model.id));
    if (chosen.length < SIZE && isNew) chosen.push(standing);
  };
  for (const standing of inOrder) {
    const isOther = !chosen.some(({ model }) => model.provider === standing.model.provider);
    if (isOther && isWelcome(standing)) take(standing);
  }
  inOrder.filter(isWelcome).forEach(take);
  inOrder.forEach(take);
  if (chosen.length < LEAST) throw tooFew(desk, chosen, images);
  return chosen.map(({ model }) => model.id);
}

function isAble({ model, usable }: ModelStanding, desk: Desk, images: 'yes' | 'no'): boolean {
  if (usable === 'no' || model.state !== 'live' || model.provider === 'local') return false;
  if (images === 'yes' && !model.input.includes('image')) return false;
  // Two providers may have a model of one name, and the name means one of them.
  const meant = desk.resolve(model.id);
  return (
    meant.is === 'found' && meant.model.provider === model.provider && meant.model.id === model.id
  );
}

function rankOf({ roles }: ModelStanding): number {
  const rank = RANKS.findIndex((part) => roles.some((role) => part.test(role)));
  return rank === -1 ? RANKS.length : rank;
}

/** Of those with no part: who thinks comes first. */
function byStrength(a: ModelStanding, b: ModelStanding): number {
  const thinks = ({ model }: ModelStanding) => (model.thinking.control === 'never' ? 0 : 1);
  return rankOf(a) < RANKS.length ? 0 : thinks(b) - thinks(a);
}

/** Nobody is surprised by a bill: who plays no part may cost no more than those that the settings chose. */
function notDearerThan(standings: readonly ModelStanding[]): (standing: ModelStanding) => boolean {
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

/** One model by two ways is one opinion: `vendor/model` is OpenRouter's name of it. */
function isSameModel(a: string, b: string): boolean {
  const base = (id: string) => id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return base(a) === base(b);
}

function tooFew(desk: Desk, [only]: readonly ModelStanding[], images: 'yes' | 'no'): CallError {
  const seeing = images === 'yes' ? ' that sees pictures' : '';
  if (!only) {
    const why = noneUsable(desk.providers(), desk.models());
    const other = images === 'yes' ? 'Leave images out.' : 'exai doctor says what is missing.';
    return new CallError('not_configured', `No model${seeing} can be asked.`, {
      field: 'models',
      fix: why === undefined ? other : `${why}.`,
    });
  }
  const { id } = only.model;
  const fixes = desk.providers().flatMap(({ configured, fix }) => (configured ? [] : (fix ?? [])));
  const add = fixes[0] ?? 'exai models refresh';
  return new CallError(
    'not_configured',
    `A consensus needs two models, and ${id} is the only one${seeing} that can be asked.`,
    {
      field: 'models',
      fix: `${add}, or name ${id} twice in models with the stances for and against.`,
    },
  );
}
