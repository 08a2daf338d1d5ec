import type { ChatOrder, Wishes } from '../gateway/dialect.ts';
import { fieldError, readBody, readInteger, readSwitch } from '../gateway/fields.ts';
import { readAsk } from './read-ask.ts';
import { createStreamWriter } from './stream-writer.ts';
import { writeWhole } from './write-whole.ts';

/** The body of `POST /v1/messages`. */
export function readChat(value: unknown, wishes: Wishes): ChatOrder {
  const body = readBody(value, '{"model": "auto", "max_tokens": 1024, "messages": […]}');
  const delivery = readSwitch(body['stream'], 'stream') ? 'stream' : 'whole';
  const maxOutputTokens = readMaxTokens(body['max_tokens']);
  const { ask, style } = readAsk(body, wishes);
  ask.maxOutputTokens = maxOutputTokens;
  ask.delivery = delivery;
  return {
    chat: { ask, choices: 1 },
    delivery,
    whole: (finished) => writeWhole(finished, style),
    stream: () => createStreamWriter(style),
  };
}

function readMaxTokens(value: unknown): number {
  const tokens = readInteger(value, 'max_tokens', 1);
  if (tokens !== undefined) return tokens;
  const fix = 'Send a whole number from 1 on.';
  throw fieldError('max_tokens', 'The limit of the answer is missing.', fix);
}
