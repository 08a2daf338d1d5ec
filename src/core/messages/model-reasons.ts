import type { SentenceTable } from './coded-message.ts';
import type { ModelGroup } from './model-groups.ts';
import { formatModelList } from './model-groups.ts';
import type { NoParams, Reason } from './reasons.ts';

/** Reasons why a model, or every model, is unavailable. */
export interface ModelReasonParams {
  model_switched_off: NoParams;
  /** The provider has no key. */
  no_key: { readonly provider: string };
  /** The provider has no URL; `fix` is the end of a sentence: `set CUSTOM_API_URL to …`. */
  no_address: { readonly provider: string; readonly fix: string };
  provider_not_set_up: NoParams;
  /** `network.offline` is on, and the provider is on another machine. */
  provider_offline: NoParams;
  /** A request to another machine while `network.offline` is on. */
  offline: { readonly host: string };
  model_denied: { readonly setting: string; readonly pattern: string };
  model_not_allowed: { readonly setting: string };
  model_forbidden: { readonly model: string; readonly reason: Reason };
  /** The model has been missing from its provider's listing since that day. */
  model_unlisted: { readonly since: string };
  /** Only its name is known. */
  model_assumed: NoParams;
  /** Its breaker is open. */
  model_resting: NoParams;
  media_unsupported: { readonly media: 'image' | 'video' | 'document' };
  /** The vendor accepts this kind of media only as: `pictures as JPEG or PNG of up to 5 MB`. */
  media_limited: { readonly takes: string };
  tools_unsupported: NoParams;
  too_many_tools: { readonly max: number; readonly given: number };
  /** The extractive fallback cannot fulfil the request. */
  quotation_unsuitable: { readonly lacks: 'tools' | 'json' | 'vision' };
  quotation_unwanted: { readonly by: 'caller' | 'setting' };
  no_provider: { readonly provider: string };
  /** The requested model is unavailable. `fallback: none`: and no other is allowed. */
  named_model_unable: {
    readonly model: string;
    readonly fallback: 'chain' | 'none';
    readonly reason: Reason;
  };
  no_provider_set_up: NoParams;
  /** `network.offline` is on, and no model runs on this machine. */
  no_model_on_machine: NoParams;
  no_model_usable: { readonly models: readonly ModelGroup[] };
  all_models_resting: { readonly models: readonly ModelGroup[] };
  no_model_calls_tools: { readonly models: readonly ModelGroup[] };
  no_model_takes_media: {
    readonly media: 'image' | 'video' | 'document';
    readonly models: readonly ModelGroup[];
  };
  /** `setting`: where the name is configured; `writtenAs`: the alias the client wrote. */
  unknown_model: {
    readonly model: string;
    readonly setting?: string;
    readonly writtenAs?: string;
    readonly nearest?: string;
  };
  unknown_embedding_model: { readonly model: string; readonly writtenAs?: string };
  no_embeddings_of_model: { readonly model: string };
  embedding_model_unable: { readonly model: string; readonly reason: Reason };
  /** `model`: the first candidate, and why it is unavailable. */
  no_embedding_model: { readonly model?: string; readonly reason?: Reason };
}

const TAKEN = { image: 'pictures', video: 'videos', document: 'documents as they are' } as const;
const MEDIA = { image: 'picture', video: 'video', document: 'document' } as const;
const NOT_QUOTED = {
  tools: 'calls no tools',
  json: 'writes no JSON',
  vision: 'sees no pictures',
} as const;

export const MODEL_REASON_SENTENCES: SentenceTable<ModelReasonParams> = {
  model_switched_off: () => 'it is switched off',
  no_key: ({ provider }) => `it has no key: exai keys add ${provider}`,
  no_address: ({ fix }) => `it has no address: ${fix}`,
  provider_not_set_up: () => 'its provider is not set up',
  provider_offline: () => 'its provider is on another machine, and network.offline is on',
  offline: ({ host }) => `${host} is not on this machine, and network.offline is on`,
  model_denied: ({ setting, pattern }) => `${setting} has "${pattern}"`,
  model_not_allowed: ({ setting }) => `${setting} does not name it`,
  model_forbidden: ({ model, reason }, render) =>
    `${model} may not be used: ${render.reason(reason)}`,
  model_unlisted: ({ since }) => `unlisted since ${since}`,
  model_assumed: () => 'only its name is known; its properties are assumed',
  model_resting: () => 'it failed too often and is unavailable for now',
  media_unsupported: ({ media }) => `it cannot take ${TAKEN[media]}`,
  media_limited: ({ takes }) => `it takes ${takes}`,
  tools_unsupported: () => 'it cannot call tools',
  too_many_tools: ({ max, given }) => `it takes ${max} tools at most, and there are ${given}`,
  quotation_unsuitable: ({ lacks }) => `it is not a model and ${NOT_QUOTED[lacks]}`,
  quotation_unwanted: ({ by }) =>
    by === 'caller' ? 'the caller wants no quotation' : 'fallback.extractive is never',
  no_provider: ({ provider }) => `There is no provider "${provider}"`,
  named_model_unable: ({ model, fallback, reason }, render) => {
    const alone =
      fallback === 'none' ? `, and no other may (${render.argument('fallback', 'none')})` : '';
    return `${model} cannot answer${alone}: ${render.reason(reason)}`;
  },
  no_provider_set_up: () => 'No provider is set up',
  no_model_on_machine: () =>
    'No model can be asked: network.offline is on, and no provider is on this machine',
  no_model_usable: ({ models }, render) =>
    `No model can be asked${formatModelList(models, render)}`,
  all_models_resting: ({ models }, render) =>
    `All models that could answer are unavailable${formatModelList(models, render)}`,
  no_model_calls_tools: ({ models }, render) =>
    `No model can call these tools${formatModelList(models, render)}`,
  no_model_takes_media: ({ media, models }, render) =>
    `No model that can be asked takes this ${MEDIA[media]}${formatModelList(models, render)}`,
  unknown_model: ({ model, setting, writtenAs, nearest }) => {
    const hint = nearest === undefined ? '' : `, did you mean "${nearest}"?`;
    if (writtenAs !== undefined) {
      return `gateway.aliases says that "${writtenAs}" means "${model}", and there is no such model${hint}`;
    }
    if (setting === undefined) return `There is no model "${model}"${hint}`;
    return `${setting} names "${model}", and there is no such model${hint}`;
  },
  unknown_embedding_model: ({ model, writtenAs }) =>
    writtenAs === undefined
      ? `There is no model "${model}" that makes embeddings`
      : `gateway.aliases says that "${writtenAs}" means "${model}", and no such model makes embeddings`,
  no_embeddings_of_model: ({ model }) => `${model} answers questions and makes no embeddings`,
  embedding_model_unable: ({ model, reason }, render) =>
    `${model} cannot make embeddings: ${render.reason(reason)}`,
  no_embedding_model: ({ model, reason }, render) =>
    reason && model !== undefined
      ? `No model can make embeddings: ${model}: ${render.reason(reason)}`
      : 'No model can make embeddings',
};
