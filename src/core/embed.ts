import type { AskedBy, AskReport } from './ask.ts';
import type { GatewayEmbeddings, GatewayVectors } from './gateway.ts';

/** Texts as vectors, and what that took. */
export interface Embedded {
  readonly made: GatewayVectors;
  readonly report: AskReport;
}

/** The one way to vectors. */
export interface Embedder {
  /** All of them by one model, and by no other when that one fails: throws a CallError then. */
  embed(request: GatewayEmbeddings, by: AskedBy): Promise<Embedded>;
}
