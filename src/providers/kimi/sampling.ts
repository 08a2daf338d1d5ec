import type { Sampling } from '#core/chat.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { fitSampling, openAiRules } from '../wire/fit-sampling.ts';
import type { WrittenFields } from '../wire/written.ts';

/** The caller's wishes as far as the model takes them: newer models refuse every value but their own. */
export function writeSampling(wish: Sampling = {}, model: Model): WrittenFields {
  const { fields, notices, leftOut } = fitSampling(wish, model, [
    ...openAiRules(model.sampling),
    { wish: 'seed', field: 'seed', limits: 'fixed' },
  ]);
  if (leftOut.length === 0) return { fields, notices };
  const about = { model: model.title, parameters: leftOut, reason: 'fixed' } as const;
  return { fields, notices: [...notices, notice('parameter_dropped', about)] };
}
