import * as z from 'zod';
import type { Candidate } from '#core/llm/route.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';

/** A reason or notice as data: a code of a closed list with parameters. */
export const ReasonShape = z.strictObject({
  code: z.string(),
  params: z.record(z.string(), z.unknown()),
});

/** The reasons for a candidate's place in the fallback chain, as one sentence. */
export function describePlacement({
  reason,
  remarks,
}: Pick<Candidate, 'reason' | 'remarks'>): string {
  return asSentence([reason, ...remarks].map((each) => baseRenderer.reason(each)).join('; '));
}
