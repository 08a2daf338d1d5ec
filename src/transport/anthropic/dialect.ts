import type { Dialect } from '../gateway/dialect.ts';
import { readChat } from './read-chat.ts';
import { refusal } from './refusal.ts';

/** How clients of Anthropic's Messages API speak. */
export function createAnthropicDialect(): Dialect {
  return { door: 'anthropic', idHeader: 'request-id', readChat, refusal };
}
