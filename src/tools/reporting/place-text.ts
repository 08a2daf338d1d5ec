import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import type { Candidate } from '#core/route.ts';

/** Why a candidate has its place in the chain, with the remarks on it, as one sentence. */
export function placeText({ reason, remarks }: Pick<Candidate, 'reason' | 'remarks'>): string {
  return asSentence([reason, ...remarks].map((each) => baseRenderer.reason(each)).join('; '));
}
