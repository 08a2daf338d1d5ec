/**
 * What is asked of a gateway: a JSON answer; a stream that comes as fast as it can; one that comes
 * as a model speaks, and says when it was written; or one that goes on until its reader leaves.
 */
export type Ask = 'whole' | 'burst' | 'paced' | 'open';

export type Dialect = 'openai' | 'anthropic';

export const MODEL = 'kimi-k2.6';
const SYSTEM = 'You are a careful assistant who answers in one paragraph.';

/**
 * The vendor looks at these words. Each has a number of its own: identical calls could be one piece
 * of work.
 */
const question = (ask: Ask, n: number): string => `Tell me about lighthouses, ${ask}, number ${n}.`;

export function askIn(body: string): Ask {
  const word = /lighthouses, (\w+), number/.exec(body)?.[1];
  return word === 'burst' || word === 'paced' || word === 'open' ? word : 'whole';
}

const MESSAGES = { openai: openAiBody, anthropic: anthropicBody } as const;

export function bodyOf(dialect: Dialect, ask: Ask, n: number): string {
  return JSON.stringify(MESSAGES[dialect](ask, question(ask, n)));
}

function openAiBody(ask: Ask, content: string): object {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content },
  ];
  if (ask === 'whole') return { model: MODEL, messages };
  return { model: MODEL, messages, stream: true, stream_options: { include_usage: true } };
}

function anthropicBody(ask: Ask, content: string): object {
  return {
    model: MODEL,
    max_tokens: 1024,
    system: SYSTEM,
    messages: [{ role: 'user', content }],
    ...(ask !== 'whole' && { stream: true }),
  };
}
