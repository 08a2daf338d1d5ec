import type { SentenceTable } from './coded.ts';
import { listed } from './listed.ts';

/** What is wrong with names of models, lists of models and the catalogue. */
export interface ModelNoticeParams {
  /** `name` is what was asked for, where it is another name of the model. */
  model_retired: {
    readonly model: string;
    readonly name?: string;
    readonly successor: string;
    /** A day, where its end is known. */
    readonly until?: string;
    readonly reason?: string;
  };
  role_model_unknown: {
    readonly setting: string;
    readonly name: string;
    readonly nearest?: string;
  };
  provider_models_excluded: { readonly provider: string; readonly settings: readonly string[] };
  listing_empty: { readonly provider: string };
  listing_names_invalid: { readonly provider: string; readonly count: number };
  listing_cut: { readonly provider: string; readonly count: number; readonly limit: number };
  model_lists_damaged: { readonly path?: string };
}

export const MODEL_NOTICE_SENTENCES: SentenceTable<ModelNoticeParams> = {
  model_retired: ({ model, name, successor, until, reason }) => {
    const subject = name === undefined ? model : `${name} (${model})`;
    const state =
      until === undefined
        ? `is no longer offered${reason === undefined ? '' : ` (${reason})`}`
        : `was switched off on ${until}`;
    return `${subject} ${state}; ${successor} answers instead.`;
  },
  role_model_unknown: ({ setting, name, nearest }) =>
    `${setting} names "${name}", which is not a known model.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
  provider_models_excluded: ({ provider, settings }) =>
    `${listed(settings)} ${settings.length === 1 ? 'excludes' : 'exclude'} every model of ${provider}.`,
  listing_empty: ({ provider }) =>
    `The model list of ${provider} has no chat model, so nothing was changed.`,
  listing_names_invalid: ({ provider, count }) =>
    `The model list of ${provider} has ${count} models without a valid name.`,
  listing_cut: ({ provider, count, limit }) =>
    `The model list of ${provider} has ${count} models; the first ${limit} were read.`,
  model_lists_damaged: ({ path }) =>
    `The stored model lists of the providers are damaged${path === undefined ? '' : ` at ${path}`} and were left out; \`exai models refresh\` stores them again.`,
};
