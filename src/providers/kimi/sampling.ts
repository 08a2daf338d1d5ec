import { CallError } from '#core/call-error.ts';
import type { Sampling } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { Model } from '#models/model.ts';

export interface WrittenSampling {
  readonly members: JsonObject;
  readonly notices: readonly string[];
}

type Range = 'fixed' | { readonly min: number; readonly max: number };

/** The caller's wishes as far as the model takes them: newer models refuse every value but their own. */
export function writeSampling(sampling: Sampling, model: Model): WrittenSampling {
  const { temperature, topP, penalties } = model.sampling;
  const wishes: readonly (readonly [keyof Sampling, string, Range])[] = [
    ['temperature', 'temperature', temperature],
    ['topP', 'top_p', topP],
    ['presencePenalty', 'presence_penalty', penalties],
    ['frequencyPenalty', 'frequency_penalty', penalties],
    ['seed', 'seed', 'fixed'],
  ];
  const members: Record<string, number> = {};
  const dropped: string[] = [];
  const notices: string[] = [];
  for (const [field, member, range] of wishes) {
    const value = sampling[field];
    if (value === undefined) continue;
    if (!Number.isFinite(value)) throw noNumber(field);
    if (range === 'fixed') {
      dropped.push(field);
      continue;
    }
    const near = Math.min(Math.max(value, range.min), range.max);
    if (near !== value)
      notices.push(
        `${model.title} takes ${field} from ${range.min} to ${range.max}; ${near} was sent.`,
      );
    members[member] = near;
  }
  if (dropped.length > 0)
    notices.push(
      `${model.title} sets ${dropped.join(', ')} itself; what was asked for was left out.`,
    );
  return { members, notices };
}

function noNumber(field: string): CallError {
  return new CallError('validation', `${field} is no number.`, {
    field: `sampling.${field}`,
    fix: 'Give a number, or leave it out.',
  });
}
