import type { Sampling } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { fitSampling, leftOutNotices, type SamplingRule } from '../wire/fit-sampling.ts';
import type { WrittenFields } from '../wire/written.ts';

/** Temperature 0 is `do_sample: false` here, which looks at neither temperature nor `top_p`. */
export function writeSampling(wish: Sampling = {}, model: Model): WrittenFields {
  const fitted = fitSampling(wish, model, rulesFor(wish, model));
  const notices = [...fitted.notices, ...leftOutNotices(model, fitted)];
  let fields: JsonObject = fitted.fields;
  if (fields['temperature'] === 0) {
    if (fields['top_p'] !== undefined)
      notices.push(
        notice('parameter_dropped', {
          model: model.title,
          parameters: ['topP'],
          reason: 'temperature_zero',
        }),
      );
    fields = { do_sample: false };
  }
  const { seed } = wish;
  return {
    fields: Number.isSafeInteger(seed) ? { ...fields, seed: seed as number } : fields,
    notices,
  };
}

/** GLM knows no penalties, and would take them without a word. One of 0 is none. */
function rulesFor(wish: Sampling, { sampling }: Model): readonly SamplingRule[] {
  const penalties = (['presencePenalty', 'frequencyPenalty'] as const).filter((name) => wish[name]);
  return [
    { wish: 'temperature', field: 'temperature', limits: sampling.temperature },
    { wish: 'topP', field: 'top_p', limits: sampling.topP },
    ...penalties.map((name) => ({ wish: name, field: name, limits: 'fixed' }) as const),
  ];
}
