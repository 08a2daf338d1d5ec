import { CallError } from '#core/call-error.ts';
import type { Sampling } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { Model, SamplingPolicy } from '#models/model.ts';

export interface WrittenFields {
  readonly fields: JsonObject;
  readonly notices: readonly string[];
}

type Policy = SamplingPolicy['temperature'];

/** Sampling under the names that OpenAI gave it, within what the model takes. */
export function writeSampling(wish: Sampling = {}, { title, sampling }: Model): WrittenFields {
  const { temperature, topP, penalties } = sampling;
  const wishes: readonly [keyof Sampling, string, Policy][] = [
    ['temperature', 'temperature', temperature],
    ['topP', 'top_p', topP],
    ['presencePenalty', 'presence_penalty', penalties],
    ['frequencyPenalty', 'frequency_penalty', penalties],
  ];
  const notices: string[] = [];
  const fields: Record<string, number> = {};
  for (const [name, field, policy] of wishes) {
    const value = wish[name];
    if (value === undefined) continue;
    if (!Number.isFinite(value)) throw noNumber(name);
    if (policy === 'fixed') {
      notices.push(`${title} takes no ${name}; it was left out.`);
      continue;
    }
    const allowed = Math.min(Math.max(value, policy.min), policy.max);
    if (allowed !== value)
      notices.push(
        `${title} takes a ${name} of ${policy.min} to ${policy.max}; ${allowed} was sent.`,
      );
    fields[field] = allowed;
  }
  if (wish.seed !== undefined) {
    if (!Number.isSafeInteger(wish.seed)) throw noNumber('seed');
    fields['seed'] = wish.seed;
  }
  return { fields, notices };
}

function noNumber(name: string): CallError {
  return new CallError('validation', `${name} is no number that can be sent.`, {
    field: `sampling.${name}`,
    fix: 'Give a number, or leave it out.',
  });
}
