import { CallError } from '#core/call-error.ts';
import type { Sampling } from '#core/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model, SamplingPolicy } from '#models/model.ts';

/** Under which name a vendor takes a wish, and within which limits. */
export interface SamplingRule {
  readonly wish: keyof Sampling;
  readonly field: string;
  readonly limits: SamplingPolicy['temperature'];
}

export interface FittedSampling {
  readonly fields: Readonly<Record<string, number>>;
  /** One for each value that was moved to the end of its range. */
  readonly notices: readonly Notice[];
  /** Asked for, and fixed by the vendor; each has its own words for that. */
  readonly leftOut: readonly (keyof Sampling)[];
}

/** The caller's wishes as far as the model takes them. Those without a rule are nowhere in what comes of it. */
export function fitSampling(
  sampling: Sampling,
  { title }: Pick<Model, 'title'>,
  rules: readonly SamplingRule[],
): FittedSampling {
  const fields: Record<string, number> = {};
  const notices: Notice[] = [];
  const leftOut: (keyof Sampling)[] = [];
  for (const { wish, field, limits } of rules) {
    const value = sampling[wish];
    if (value === undefined) continue;
    if (!Number.isFinite(value)) throw noNumber(wish);
    if (limits === 'fixed') {
      leftOut.push(wish);
      continue;
    }
    const { min, max } = limits;
    const near = Math.min(Math.max(value, min), max);
    if (near !== value)
      notices.push(
        notice('parameter_clamped', { model: title, parameter: wish, min, max, sent: near }),
      );
    fields[field] = near;
  }
  return { fields, notices, leftOut };
}

/** By the names that OpenAI gave them. */
export function openAiRules({ temperature, topP, penalties }: SamplingPolicy): SamplingRule[] {
  return [
    { wish: 'temperature', field: 'temperature', limits: temperature },
    { wish: 'topP', field: 'top_p', limits: topP },
    { wish: 'presencePenalty', field: 'presence_penalty', limits: penalties },
    { wish: 'frequencyPenalty', field: 'frequency_penalty', limits: penalties },
  ];
}

export function leftOutNotices(
  { title }: Pick<Model, 'title'>,
  { leftOut }: FittedSampling,
): readonly Notice[] {
  if (leftOut.length === 0) return [];
  const about = { model: title, parameters: leftOut, reason: 'unsupported' } as const;
  return [notice('parameter_dropped', about)];
}

export function noNumber(wish: keyof Sampling): CallError {
  return new CallError('validation', `${wish} is no number that can be sent.`, {
    field: `sampling.${wish}`,
    fix: 'Give a number, or leave it out.',
  });
}
