import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import type { Ended, Round } from '../wire/round.ts';
import { NOTHING, type WrittenFields } from '../wire/written.ts';

/** `max_tokens` within the cap of the model; what is beyond it is refused. */
export function writeLimit(
  wish: number | undefined,
  { title, maxOutputTokens: most }: Model,
): WrittenFields {
  if (wish === undefined) return NOTHING;
  const limit = { model: title, limit: most, requested: wish, reason: 'model' } as const;
  const notices = wish > most ? [notice('max_tokens_lowered', limit)] : [];
  return { fields: { max_tokens: Math.min(wish, most) }, notices };
}

const RANGE = /max_tokens\D{0,60}\b1\D{1,6}(\d{1,7})\b/;

/** The vendor's documents disagree about the caps of its vision models; a refusal names the one that counts. */
export function withinNamedLimit(
  { body, end, hasContent }: Ended,
  { title }: Model,
): Round | undefined {
  if (hasContent || end.is !== 'failed' || end.error.class !== 'bad_request') return undefined;
  const most = Number(RANGE.exec(end.error.message)?.[1]);
  const sent = body['max_tokens'];
  if (typeof sent !== 'number' || !(most >= 1 && most < sent)) return undefined;
  return {
    body: { ...body, max_tokens: most },
    notices: [
      notice('max_tokens_lowered', {
        model: title,
        limit: most,
        requested: sent,
        reason: 'refused',
      }),
    ],
  };
}
