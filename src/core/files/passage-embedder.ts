import type { AbortSignalLike } from '../net/abort.ts';

/** Turns texts into vectors that are near each other where their meanings are. */
export interface PassageEmbedder {
  /** Vectors are comparable only if the same model made them. */
  readonly id: string;
  /** Passages and queries in other languages have no vectors. */
  readonly language: 'any' | 'english';
  /** A longer text is embedded in pieces. */
  readonly maxChars: number;
  /** One vector for each text, all of one size. Throws a CallError. */
  embed(texts: readonly string[], by: EmbeddingContext): Promise<readonly Float32Array[]>;
}

export interface EmbeddingContext {
  readonly principal: string;
  readonly signal: AbortSignalLike;
}
