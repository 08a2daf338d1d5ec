import type { Dialect } from '../gateway/dialect.ts';
import { readOrder } from './read-order.ts';
import { writeRefusal } from './refusal.ts';

/** How clients of Anthropic's Messages API speak. */
export function createAnthropicDialect(): Dialect {
  return { door: 'anthropic', idHeader: 'request-id', readChat: readOrder, refusal: writeRefusal };
}
