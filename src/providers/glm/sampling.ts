import { CallError } from '#core/call-error.ts';
import type { Sampling } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { Model, SamplingPolicy } from '#models/model.ts';
import type { WrittenFields } from './thinking.ts';

/** Temperature 0 is `do_sample: false` here, which looks at neither temperature nor `top_p`. */
export function writeSampling(wish: Sampling | undefined, model: Model): WrittenFields {
  const { temperature, topP, presencePenalty, frequencyPenalty, seed } = wish ?? {};
  const notices: string[] = [];
  const fields: Record<string, boolean | number> = {};

  function within(value: number | undefined, name: keyof Sampling, policy: SamplingPolicy['topP']) {
    if (value === undefined) return undefined;
    if (!Number.isFinite(value)) {
      throw new CallError('validation', `${name} is no number.`, {
        field: `sampling.${name}`,
        fix: 'Give a number, or leave it out.',
      });
    }
    if (policy === 'fixed') {
      notices.push(`${model.title} takes no ${name}; it was left out.`);
      return undefined;
    }
    const allowed = Math.min(Math.max(value, policy.min), policy.max);
    if (allowed !== value)
      notices.push(
        `${model.title} takes a ${name} of ${policy.min} to ${policy.max}; ${allowed} was sent.`,
      );
    return allowed;
  }

  const { sampling } = model;
  const heat = within(temperature, 'temperature', sampling.temperature);
  const share = within(topP, 'topP', sampling.topP);
  if (heat === 0) {
    fields['do_sample'] = false;
    if (share !== undefined)
      notices.push('At temperature 0 topP decides nothing; it was left out.');
  } else {
    if (heat !== undefined) fields['temperature'] = heat;
    if (share !== undefined) fields['top_p'] = share;
  }
  // GLM knows no such fields, and would take them without a word.
  within(presencePenalty || undefined, 'presencePenalty', 'fixed');
  within(frequencyPenalty || undefined, 'frequencyPenalty', 'fixed');
  if (seed !== undefined && Number.isSafeInteger(seed)) fields['seed'] = seed;
  return { fields: fields satisfies JsonObject, notices };
}
