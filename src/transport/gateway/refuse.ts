import type { CallError } from '#core/call-error.ts';
import type { Exchange, HeaderList } from '../http/endpoint.ts';
import type { Dialect } from './dialect.ts';

const NONE: HeaderList = [];
const NOBODY_ASKED: HeaderList = ['x-exai-attempts', '0'];

/** Answers a failure in the words of whoever asked. */
export function refuse(
  exchange: Exchange,
  { refusal, idHeader }: Pick<Dialect, 'refusal' | 'idHeader'>,
  error: CallError,
  about: HeaderList = NOBODY_ASKED,
  more: HeaderList = NONE,
): void {
  exchange.error = error;
  const { status, body, headers = NONE } = refusal(error, exchange.reqId);
  exchange.answer(status, 'application/json', body, [
    idHeader,
    exchange.reqId,
    ...about,
    ...headers,
    ...more,
  ]);
}
