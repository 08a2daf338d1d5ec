import type { AskRequest } from '#core/ask.ts';
import type { Thread } from '#core/threads.ts';

/** A question as the next one of its conversation: after what was said, and to the model that answered last unless one is named. */
export function inThread(
  request: AskRequest,
  { history, model }: Pick<Thread, 'history' | 'model'>,
): AskRequest {
  const isNamed = !['', 'auto'].includes((request.model ?? '').trim().toLowerCase());
  return {
    ...request,
    messages: [...history, ...request.messages],
    ...(model !== undefined && !isNamed && { lockedModel: model }),
  };
}
