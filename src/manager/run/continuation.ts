import type { ChatMessage } from '#core/chat.ts';
import type { Provider } from '#core/provider.ts';

/** What is asked of a model that goes on with another's answer. */
export interface Continuation {
  readonly messages: readonly ChatMessage[];
  readonly continuation?: 'prefix';
}

const GO_ON =
  'Your answer above was cut off by a technical fault. Go on from its very last character: repeat nothing, ' +
  'do not apologise, do not comment on the break, keep language, tone and format.';

/** The conversation with the part of the answer that its reader has, so that the rest can follow. */
export function continueFrom(
  messages: readonly ChatMessage[],
  told: string,
  { can }: Pick<Provider, 'can'>,
): Continuation {
  const answered: readonly ChatMessage[] = [...messages, { role: 'assistant', content: told }];
  if (can.includes('prefix')) return { messages: answered, continuation: 'prefix' };
  return { messages: [...answered, { role: 'user', content: GO_ON }] };
}
