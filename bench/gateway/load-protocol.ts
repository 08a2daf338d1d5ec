import type { Ask, Dialect } from './asks.ts';

/** Where and how a gateway is asked. */
export interface Target {
  readonly port: number;
  readonly dialect: Dialect;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the process that makes the load is told to do. */
export type Order =
  | {
      readonly do: 'run';
      readonly target: Target;
      readonly ask: Exclude<Ask, 'open'>;
      readonly calls: number;
      readonly inFlight: number;
    }
  /** Opens so many streams that go on, and waits until each has said something or will not. */
  | { readonly do: 'open'; readonly target: Target; readonly streams: number }
  /** What the open streams have brought so far. */
  | { readonly do: 'count' }
  | { readonly do: 'close' };

/** How it went; times are medians. */
export interface LoadResult {
  readonly calls: number;
  readonly wallMs: number;
  /** From the request to the first word. */
  readonly firstWordMs: number;
  /** The same of a paced stream, less the time that the vendor took. */
  readonly firstWordOverheadMs: number;
  /** From the vendor's hand to the reader's, of every later word of a paced stream. */
  readonly wordOverheadMs: number;
}

export interface LoadCount {
  readonly events: number;
  /** Open streams that have said something. */
  readonly spoken: number;
}

export const PATHS: Readonly<Record<Dialect, string>> = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
};
