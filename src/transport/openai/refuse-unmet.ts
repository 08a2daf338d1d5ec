import { fieldError, isAbsent, isObject, type Fields } from '../gateway/fields.ts';

/**
 * Wishes that no answer of ours would meet, and whose neglect its reader would not notice. What is a mere hint (`store`, `metadata`,
 * `service_tier`, `prompt_cache_key`, `verbosity`, `prediction`, …) is not looked at.
 */
export function refuseUnmet(body: Fields): void {
  const { logprobs, top_logprobs: top, logit_bias: bias, modalities, audio, moderation } = body;
  if (!isAbsent(logprobs) && logprobs !== false) throw unmet('logprobs', NO_PROBABILITIES);
  if (!isAbsent(top) && top !== 0) throw unmet('top_logprobs', NO_PROBABILITIES);
  if (!isAbsent(bias) && !(isObject(bias) && isEmpty(bias))) {
    throw unmet('logit_bias', 'Tokens cannot be favoured: each model has its own.');
  }
  if (!isAbsent(modalities) && !(Array.isArray(modalities) && modalities.every(isText))) {
    throw unmet('modalities', 'Answers are texts.');
  }
  if (!isAbsent(audio)) throw unmet('audio', 'Answers are texts.');
  if (!isAbsent(moderation)) throw unmet('moderation', 'Nobody moderates what is said here.');
}

const NO_PROBABILITIES = 'The probabilities of tokens are not told.';

function unmet(field: string, message: string) {
  return fieldError(field, message, `Leave ${field} out.`);
}

function isEmpty(value: Fields): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

function isText(value: unknown): boolean {
  return value === 'text';
}
