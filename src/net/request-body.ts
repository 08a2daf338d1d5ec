import { CallError } from '#core/call-error.ts';
import type { HttpRequest } from '#core/http.ts';

type Sendable = string | Uint8Array;

/** A stream that fails while it is sent fails the exchange with its own error, not as a broken connection. */
export function watched(
  body: NonNullable<HttpRequest['body']>,
  onFailure: (error: CallError) => void,
): Sendable {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  // undici takes any async iterable; its types do not say so.
  return told(body, onFailure) as unknown as Sendable;
}

async function* told(
  body: AsyncIterable<Uint8Array>,
  onFailure: (error: CallError) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    onFailure(CallError.from(error));
    throw error;
  }
}
