import { CallError } from '#core/call-error.ts';
import type { GatewayEmbeddings } from '#core/gateway.ts';
import { oneLine } from '#core/one-line.ts';
import { assumeModel } from '#models/assume-model.ts';
import { VENDORS } from '#models/built-in.ts';
import { isModelName, nameKey } from '#models/model-name.ts';
import type { Model, Resolved } from '#models/model.ts';
import { meaningFix, meansWords } from './means-words.ts';

/** Who could make vectors. */
export interface EmbedWorld {
  /** The vendors' models for it, best first. */
  readonly known: readonly Model[];
  /** The user's own server: the model that is set for it, or whichever it has; absent without a server. */
  readonly own?: { readonly model: Model; readonly is: 'set' | 'any' };
  /** Why it cannot be asked at all: no key, a list. */
  readonly obstacle: (model: Model) => string | undefined;
  /** What a name means where questions are asked. */
  readonly resolve: (name: string) => Resolved;
}

export interface PickedEmbedding {
  readonly model: Model;
  readonly because: string;
}

const MAX_SHOWN_CHARS = 80;

/**
 * The model that a name means. `auto` goes by the settings alone and never by who is well at the moment: whoever compares
 * vectors of today with those of yesterday needs the same model for both.
 */
export function pickEmbedding(
  { model: given, namedAs }: Pick<GatewayEmbeddings, 'model' | 'namedAs'>,
  world: EmbedWorld,
): PickedEmbedding {
  const name = given.trim();
  const shown = oneLine(name, MAX_SHOWN_CHARS);
  const written = namedAs === undefined ? undefined : oneLine(namedAs, MAX_SHOWN_CHARS);
  if (isAuto(name)) {
    const { model, because } = pickAuto(world);
    if (written === undefined) return { model, because };
    return { model, because: `${meansWords(written, 'auto')}. ${because}` };
  }
  const because =
    written === undefined ? `${shown} was asked for.` : `${meansWords(written, shown)}.`;
  const known = world.known.find((model) => isCalled(model, name));
  if (known) return { model: able(known, world), because };
  const [, own = name] = /^custom\/(.+)$/i.exec(name) ?? [];
  const resolved = world.resolve(name);
  if (own === name && resolved.is === 'found' && resolved.model.provider !== 'custom') {
    throw noVectors(
      `${resolved.model.id} answers questions and makes no embeddings.`,
      world,
      written ?? shown,
    );
  }
  if (!world.own || !isModelName(own)) throw unknown(shown, written, world);
  // A server of one's own has models that no list of ours has.
  return { model: able(assumeModel(own, 'custom'), world), because };
}

function pickAuto(world: EmbedWorld): PickedEmbedding {
  const { own, known } = world;
  const vendors = known.find((model) => world.obstacle(model) === undefined);
  if (own && (own.is === 'set' || !vendors)) {
    return { model: own.model, because: 'Your own server makes the embeddings.' };
  }
  if (vendors) {
    return { model: vendors, because: `${vendors.id} is the first that makes embeddings.` };
  }
  throw new CallError('not_configured', `Nobody can make embeddings${reasons(world)}.`, {
    fix: 'exai keys add glm, or set CUSTOM_API_URL to a server that has a model for them.',
  });
}

function reasons({ known, obstacle }: EmbedWorld): string {
  const [first] = known;
  const because = first && obstacle(first);
  return because === undefined ? '' : `: ${first?.id} cannot be asked, ${because}`;
}

/** `embedding-3`, and as others write it: `zhipu/embedding-3`. */
function isCalled({ id, provider }: Model, name: string): boolean {
  const slash = name.indexOf('/');
  const isVendors = VENDORS.get(name.slice(0, Math.max(0, slash)).toLowerCase()) === provider;
  return nameKey(id) === nameKey(isVendors ? name.slice(slash + 1) : name);
}

function able(model: Model, { obstacle }: EmbedWorld): Model {
  const because = obstacle(model);
  if (because === undefined) return model;
  const { provider, id } = model;
  throw new CallError('not_configured', `${id} cannot make embeddings: ${because}.`, {
    provider,
    model: id,
    field: 'model',
    fix: 'exai doctor says what is missing.',
  });
}

function unknown(shown: string, written: string | undefined, world: EmbedWorld): CallError {
  const message =
    written === undefined
      ? `There is no model "${shown}" that makes embeddings.`
      : `gateway.models says that "${written}" means "${shown}", and no such model makes embeddings.`;
  return noVectors(message, world, written ?? shown);
}

function noVectors(message: string, { known, own, obstacle }: EmbedWorld, name: string): CallError {
  const usable = known.filter((model) => obstacle(model) === undefined).map(({ id }) => id);
  const names = [...usable, ...(own?.is === 'set' ? [own.model.id] : []), 'auto'];
  return new CallError('not_found', message, {
    field: 'model',
    fix: `Name one of ${names.join(', ')}; ${meaningFix(name)}.`,
  });
}

/** One's own server did not know the name: it was sent there because nobody else knew it either. */
export function withMeaningFix(
  error: CallError,
  { provider }: Model,
  { model: name, namedAs }: Pick<GatewayEmbeddings, 'model' | 'namedAs'>,
): CallError {
  if (error.class !== 'not_found' || provider !== 'custom' || isAuto(name.trim())) return error;
  const fix = meaningFix(oneLine((namedAs ?? name).trim(), MAX_SHOWN_CHARS));
  return new CallError('not_found', error.message, {
    ...error.toJSON(),
    fix: error.fix === undefined ? `${fix}.` : `${error.fix}; or ${fix}.`,
    cause: error,
  });
}

function isAuto(name: string): boolean {
  return name === '' || name.toLowerCase() === 'auto';
}
