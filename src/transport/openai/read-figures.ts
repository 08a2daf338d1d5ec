import type { Sampling } from '#core/chat.ts';
import type { Draft } from '#core/draft.ts';
import { fieldError, isAbsent, readInteger, readNumber, type Fields } from '../gateway/fields.ts';

const MAX_STOPS = 4;
const MAX_PENALTY = 2;

/** Nothing where nothing is wished for. */
export function readSampling(body: Fields): Sampling | undefined {
  const temperature = readNumber(body['temperature'], 'temperature', 0, 2);
  const topP = readNumber(body['top_p'], 'top_p', 0, 1);
  const presence = readPenalty(body['presence_penalty'], 'presence_penalty');
  const frequency = readPenalty(body['frequency_penalty'], 'frequency_penalty');
  const seed = readInteger(body['seed'], 'seed', Number.MIN_SAFE_INTEGER);
  const given = temperature ?? topP ?? presence ?? frequency ?? seed;
  if (given === undefined) return undefined;
  const sampling: Draft<Sampling> = {};
  if (temperature !== undefined) sampling.temperature = temperature;
  if (topP !== undefined) sampling.topP = topP;
  if (presence !== undefined) sampling.presencePenalty = presence;
  if (frequency !== undefined) sampling.frequencyPenalty = frequency;
  if (seed !== undefined) sampling.seed = seed;
  return sampling;
}

function readPenalty(given: unknown, field: string): number | undefined {
  return readNumber(given, field, -MAX_PENALTY, MAX_PENALTY);
}

/** The older name and the newer one mean the same here. */
export function readMaxTokens(body: Fields): number | undefined {
  const older = readInteger(body['max_tokens'], 'max_tokens', 1);
  const newer = readInteger(body['max_completion_tokens'], 'max_completion_tokens', 1);
  if (older !== undefined && newer !== undefined && older !== newer) {
    const message = 'max_tokens and max_completion_tokens are both given, and differ.';
    throw fieldError(
      'max_tokens',
      message,
      'Send one of them; max_completion_tokens is the newer.',
    );
  }
  return newer ?? older;
}

/** Nothing where nothing ends the answer early. */
export function readStops(given: unknown): readonly string[] | undefined {
  if (isAbsent(given)) return undefined;
  const stops = (Array.isArray(given) ? given : [given]) as readonly unknown[];
  if (stops.length > MAX_STOPS) {
    const message = `There are ${stops.length} stop texts, and ${MAX_STOPS} are the most.`;
    throw fieldError('stop', message, 'Leave some out.');
  }
  if (stops.length === 0) return undefined;
  if (stops.every((stop) => typeof stop === 'string' && stop !== ''))
    return stops as readonly string[];
  const fix = `Send a text or up to ${MAX_STOPS} of them, none of them empty.`;
  throw fieldError('stop', 'A stop text must be a text, and not an empty one.', fix);
}
