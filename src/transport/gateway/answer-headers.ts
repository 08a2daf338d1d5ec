import type { Asked } from '#core/answer-piece.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import type { HeaderList } from '../http/endpoint.ts';

/** Of an answer that is whole, or of a failure: who answered, after how many attempts and why not the first. */
export function headersOf({ provider, model, attempt, route }: Envelope): HeaderList {
  const headers: string[] = [];
  if (provider !== undefined) headers.push('x-exai-provider', plain(provider));
  if (model !== undefined) headers.push('x-exai-model', plain(model));
  headers.push('x-exai-attempts', String(attempt));
  const failed = route?.attempts.find(({ outcome }) => outcome !== 'ok');
  if (failed) {
    const who = `${failed.provider}/${failed.model}`;
    headers.push('x-exai-fallback-reason', plain(`${who} ${failed.outcome}`));
  }
  return headers;
}

/** Of a stream, as far as it is known when its first word comes. */
export function headersOfStream(asked: Asked | undefined, failed: string | undefined): HeaderList {
  if (!asked) return [];
  const headers = ['x-exai-provider', asked.provider, 'x-exai-model', plain(asked.model)];
  headers.push('x-exai-attempts', String(asked.attempt));
  if (failed !== undefined) headers.push('x-exai-fallback-reason', plain(failed));
  return headers;
}

const UNPRINTABLE = /[^ -~]/g;

/** A model's name may be anything its server says; a header may not. */
function plain(text: string): string {
  return text.replaceAll(UNPRINTABLE, '?');
}
