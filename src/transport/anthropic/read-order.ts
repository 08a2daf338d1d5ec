import type { GatewayChat } from '#core/gateway.ts';
import type { ChatOrder, Wishes } from '../gateway/dialect.ts';
import { isAbsent, readNumber, refuse, type Fields } from './body-fields.ts';
import { readAsk, readBody } from './read-ask.ts';
import { createStreamWriter } from './stream-writer.ts';
import { writeMessage } from './write-message.ts';

/** A request for a message, as `POST /v1/messages` takes it. */
export function readOrder(value: unknown, wishes: Wishes): ChatOrder {
  const body = readBody(value);
  const delivery = readDelivery(body['stream']);
  const maxOutputTokens = readMaxTokens(body);
  const { ask, ...style } = readAsk(body, wishes);
  const chat: GatewayChat = { ask: { ...ask, maxOutputTokens, delivery }, choices: 1 };
  return {
    chat,
    delivery,
    whole: (finished) => writeMessage(finished, style),
    stream: () => createStreamWriter(style),
  };
}

function readDelivery(value: unknown): ChatOrder['delivery'] {
  if (isAbsent(value) || value === false) return 'whole';
  if (value === true) return 'stream';
  throw refuse('stream', 'This must be true or false.');
}

function readMaxTokens({ max_tokens: value }: Fields): number {
  const most = readNumber(value, 'max_tokens', 1, Number.MAX_SAFE_INTEGER);
  if (most !== undefined && Number.isInteger(most)) return most;
  const what = most === undefined ? 'The limit of the answer is missing.' : 'This is no count.';
  throw refuse('max_tokens', what, 'Give a whole number from 1 on.');
}
