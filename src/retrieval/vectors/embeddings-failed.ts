import { CallError } from '#core/errors/call-error.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';

/** Without vectors everything is found by keywords, so that a failure is a notice. */
export function embeddingsFailed(thrown: unknown): Notice {
  const error = CallError.from(thrown);
  const { fix } = error;
  return notice('embeddings_failed', {
    error: errorText(error),
    ...(fix !== undefined && { fix }),
  });
}
