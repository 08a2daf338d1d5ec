/**
 * A JSON answer, a stream that comes as fast as it can, or one whose events come in packets of
 * their own.
 */
export type Ask = 'whole' | 'burst' | 'one by one';

export interface Work {
  readonly ask: Ask;
  readonly calls: number;
  readonly inFlight: number;
}

/** Resolves to the characters of the answer, so that nobody gets away with not reading it. */
export interface Client {
  whole(): Promise<number>;
  stream(ask: Exclude<Ask, 'whole'>): Promise<number>;
}

export const MODEL = 'kimi-k2.6';
export const SYSTEM = 'You are a careful assistant who answers in one paragraph.';

/** What is asked; the mock looks at these words. */
export const question = (ask: string): string => `Tell me about lighthouses, ${ask}.`;
