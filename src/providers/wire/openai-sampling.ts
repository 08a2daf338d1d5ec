import type { Sampling } from '#core/chat.ts';
import type { Model } from '#models/model.ts';
import { fitSampling, leftOutNotices, noNumber, openAiRules } from './fit-sampling.ts';
import type { WrittenFields } from './written.ts';

/** Sampling as OpenAI's clients write it, within what the model takes. */
export function writeSampling(wish: Sampling = {}, model: Model): WrittenFields {
  const fitted = fitSampling(wish, model, openAiRules(model.sampling));
  const { seed } = wish;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw noNumber('seed');
  return {
    fields: { ...fitted.fields, ...(seed !== undefined && { seed }) },
    notices: [...fitted.notices, ...leftOutNotices(model, fitted)],
  };
}
