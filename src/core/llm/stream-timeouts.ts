/** Timeouts of a streamed answer, in addition to the deadline. */
export interface StreamTimeouts {
  /** Until the first text, reasoning or tool call. */
  readonly firstTokenMs: number;
  /**
   * Between two of them. Other signs of life, such as keep-alive comments, extend it, but never
   * beyond the limit of the first token.
   */
  readonly idleMs: number;
}

/** The defaults of the settings. */
export const USUAL_TIMEOUTS: StreamTimeouts = { firstTokenMs: 60_000, idleMs: 30_000 };
