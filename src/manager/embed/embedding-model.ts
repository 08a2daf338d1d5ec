import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { GatewayEmbeddings } from '#core/llm/gateway.ts';
import { advice, fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { assumeModel } from '#models/assume-model.ts';
import { VENDORS } from '#models/built-in.ts';
import { isModelName, nameKey } from '#models/model-name.ts';
import type { Model, ResolvedModel } from '#models/model.ts';
import { aliasHint } from '../route/requested-models.ts';

/** The state that embedding model selection reads. */
export interface EmbeddingState {
  /** The vendors' embedding models, best first. */
  readonly known: readonly Model[];
  /** The user's own server with its configured model, or any; absent without a server. */
  readonly own?: { readonly model: Model; readonly is: 'set' | 'any' };
  /** Why it cannot be asked at all: no key, a list. */
  readonly obstacle: (model: Model) => Reason | undefined;
  /** Resolves a chat model name. */
  readonly resolve: (name: string) => ResolvedModel;
}

export interface SelectedEmbeddingModel {
  readonly model: Model;
  /** Whether the name is in no list and only the user's own server can know it. */
  readonly isOnTrust?: true;
  /** Most important first. */
  readonly reasons: readonly Reason[];
}

const MAX_SHOWN_CHARS = 80;

/**
 * Selects the embedding model for a name. `auto` depends on settings only and never on current
 * health, because vectors are comparable only if the same model made them.
 */
export function selectEmbeddingModel(
  { model: given, namedAs }: Pick<GatewayEmbeddings, 'model' | 'namedAs'>,
  state: EmbeddingState,
): SelectedEmbeddingModel {
  const name = given.trim();
  const shown = oneLine(name, MAX_SHOWN_CHARS);
  const written = namedAs === undefined ? undefined : oneLine(namedAs, MAX_SHOWN_CHARS);
  if (isAuto(name)) {
    const { model, reasons } = pickAuto(state);
    if (written === undefined) return { model, reasons };
    const mapped = reason('name_mapped', { writtenAs: written, model: 'auto' });
    return { model, reasons: [mapped, ...reasons] };
  }
  const reasons = [
    written === undefined
      ? reason('model_requested', { model: shown })
      : reason('name_mapped', { writtenAs: written, model: shown }),
  ];
  const known = state.known.find((model) => isCalled(model, name));
  if (known) return { model: able(known, state), reasons };
  const [, own = name] = /^custom\/(.+)$/i.exec(name) ?? [];
  const resolved = state.resolve(name);
  if (own === name && resolved.is === 'found' && resolved.model.provider !== 'custom') {
    const why = reason('no_embeddings_of_model', { model: resolved.model.id });
    throw noVectors(why, state, written ?? shown);
  }
  if (!state.own || !isModelName(own)) throw unknown(shown, written, state);
  // The user's own server may have models that the catalogue does not list.
  const isSet = state.own.is === 'set' && nameKey(state.own.model.id) === nameKey(own);
  const isListed = resolved.is === 'found';
  return {
    model: able(assumeModel(own, 'custom'), state),
    ...(!isSet && !isListed && { isOnTrust: true as const }),
    reasons,
  };
}

function pickAuto(state: EmbeddingState): SelectedEmbeddingModel {
  const { own, known } = state;
  const vendors = known.find((model) => state.obstacle(model) === undefined);
  if (own && (own.is === 'set' || !vendors)) {
    return { model: own.model, reasons: [reason('embeddings_by_own_server')] };
  }
  if (vendors) {
    return { model: vendors, reasons: [reason('first_embedding_model', { model: vendors.id })] };
  }
  throw codedError('not_configured', whyNone(state), {
    fixes: [
      fix('add_key', { provider: 'glm' }),
      fix('set_setting', {
        setting: 'CUSTOM_API_URL',
        value: 'the address of a server that has a model for them',
      }),
    ],
  });
}

function whyNone({ known, obstacle }: EmbeddingState): Reason {
  const [first] = known;
  const why = first && obstacle(first);
  return reason('no_embedding_model', why ? { model: first.id, reason: why } : {});
}

/** Whether a name means this model: `embedding-3`, or with its vendor: `zhipu/embedding-3`. */
function isCalled({ id, provider }: Model, name: string): boolean {
  const slash = name.indexOf('/');
  const isVendors = VENDORS.get(name.slice(0, Math.max(0, slash)).toLowerCase()) === provider;
  return nameKey(id) === nameKey(isVendors ? name.slice(slash + 1) : name);
}

function able(model: Model, { obstacle }: EmbeddingState): Model {
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

function unknown(shown: string, written: string | undefined, state: EmbeddingState): CallError {
  const why = reason('unknown_embedding_model', {
    model: shown,
    ...(written !== undefined && { writtenAs: written }),
  });
  return noVectors(why, state, written ?? shown);
}

function noVectors(why: Reason, { known, own, obstacle }: EmbeddingState, name: string): CallError {
  const usable = known.filter((model) => obstacle(model) === undefined).map(({ id }) => id);
  const names = [...usable, ...(own?.is === 'set' ? [own.model.id] : []), 'auto'];
  return codedError('not_found', why, {
    field: 'model',
    fixes: [advice(`Name one of ${names.join(', ')}.`), aliasHint(name)],
  });
}

/**
 * Adds an alias hint when the user's own server does not know a name that was only sent there for
 * lack of others.
 */
export function withAliasHint(
  error: CallError,
  { provider }: Model,
  { model: name, namedAs }: Pick<GatewayEmbeddings, 'model' | 'namedAs'>,
): CallError {
  if (error.class !== 'not_found' || provider !== 'custom' || isAuto(name.trim())) return error;
  const meaning = aliasHint(oneLine((namedAs ?? name).trim(), MAX_SHOWN_CHARS));
  return new CallError('not_found', error.message, {
    ...error.facts(),
    fixes: [meaning, ...error.fixes],
    cause: error,
  });
}

function isAuto(name: string): boolean {
  return name === '' || name.toLowerCase() === 'auto';
}
