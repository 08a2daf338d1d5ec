import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { GatewayEmbeddings } from '#core/gateway.ts';
import { advice, fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/one-line.ts';
import { assumeModel } from '#models/assume-model.ts';
import { VENDORS } from '#models/built-in.ts';
import { isModelName, nameKey } from '#models/model-name.ts';
import type { Model, Resolved } from '#models/model.ts';
import { meaningFix } from './meaning-fix.ts';

/** Who could make vectors. */
export interface EmbedWorld {
  /** The vendors' models for it, best first. */
  readonly known: readonly Model[];
  /** The user's own server: the model that is set for it, or whichever it has; absent without a server. */
  readonly own?: { readonly model: Model; readonly is: 'set' | 'any' };
  /** Why it cannot be asked at all: no key, a list. */
  readonly obstacle: (model: Model) => Reason | undefined;
  /** What a name means where questions are asked. */
  readonly resolve: (name: string) => Resolved;
}

export interface PickedEmbedding {
  readonly model: Model;
  /** Most important first. */
  readonly reasons: readonly Reason[];
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
    const { model, reasons } = pickAuto(world);
    if (written === undefined) return { model, reasons };
    const mapped = reason('name_mapped', { writtenAs: written, model: 'auto' });
    return { model, reasons: [mapped, ...reasons] };
  }
  const reasons = [
    written === undefined
      ? reason('model_requested', { model: shown })
      : reason('name_mapped', { writtenAs: written, model: shown }),
  ];
  const known = world.known.find((model) => isCalled(model, name));
  if (known) return { model: able(known, world), reasons };
  const [, own = name] = /^custom\/(.+)$/i.exec(name) ?? [];
  const resolved = world.resolve(name);
  if (own === name && resolved.is === 'found' && resolved.model.provider !== 'custom') {
    const why = reason('no_embeddings_of_model', { model: resolved.model.id });
    throw noVectors(why, world, written ?? shown);
  }
  if (!world.own || !isModelName(own)) throw unknown(shown, written, world);
  // A server of one's own has models that no list of ours has.
  return { model: able(assumeModel(own, 'custom'), world), reasons };
}

function pickAuto(world: EmbedWorld): PickedEmbedding {
  const { own, known } = world;
  const vendors = known.find((model) => world.obstacle(model) === undefined);
  if (own && (own.is === 'set' || !vendors)) {
    return { model: own.model, reasons: [reason('embeddings_by_own_server')] };
  }
  if (vendors) {
    return { model: vendors, reasons: [reason('first_embedding_model', { model: vendors.id })] };
  }
  throw codedError('not_configured', whyNone(world), {
    fixes: [
      fix('add_key', { provider: 'glm' }),
      fix('set_setting', {
        setting: 'CUSTOM_API_URL',
        value: 'the address of a server that has a model for them',
      }),
    ],
  });
}

function whyNone({ known, obstacle }: EmbedWorld): Reason {
  const [first] = known;
  const why = first && obstacle(first);
  return reason('no_embedding_model', why ? { model: first.id, reason: why } : {});
}

/** `embedding-3`, and as others write it: `zhipu/embedding-3`. */
function isCalled({ id, provider }: Model, name: string): boolean {
  const slash = name.indexOf('/');
  const isVendors = VENDORS.get(name.slice(0, Math.max(0, slash)).toLowerCase()) === provider;
  return nameKey(id) === nameKey(isVendors ? name.slice(slash + 1) : name);
}

function able(model: Model, { obstacle }: EmbedWorld): Model {
  const why = obstacle(model);
  if (why === undefined) return model;
  const { provider, id } = model;
  throw codedError('not_configured', reason('embedding_model_unable', { model: id, reason: why }), {
    provider,
    model: id,
    field: 'model',
    fixes: [fix('run_doctor')],
  });
}

function unknown(shown: string, written: string | undefined, world: EmbedWorld): CallError {
  const why = reason('unknown_embedding_model', {
    model: shown,
    ...(written !== undefined && { writtenAs: written }),
  });
  return noVectors(why, world, written ?? shown);
}

function noVectors(why: Reason, { known, own, obstacle }: EmbedWorld, name: string): CallError {
  const usable = known.filter((model) => obstacle(model) === undefined).map(({ id }) => id);
  const names = [...usable, ...(own?.is === 'set' ? [own.model.id] : []), 'auto'];
  return codedError('not_found', why, {
    field: 'model',
    fixes: [advice(`Name one of ${names.join(', ')}.`), meaningFix(name)],
  });
}

/** One's own server did not know the name: it was sent there because nobody else knew it either. */
export function withMeaningFix(
  error: CallError,
  { provider }: Model,
  { model: name, namedAs }: Pick<GatewayEmbeddings, 'model' | 'namedAs'>,
): CallError {
  if (error.class !== 'not_found' || provider !== 'custom' || isAuto(name.trim())) return error;
  const meaning = meaningFix(oneLine((namedAs ?? name).trim(), MAX_SHOWN_CHARS));
  return new CallError('not_found', error.message, {
    ...error.facts(),
    fixes: [meaning, ...error.fixes],
    cause: error,
  });
}

function isAuto(name: string): boolean {
  return name === '' || name.toLowerCase() === 'auto';
}
