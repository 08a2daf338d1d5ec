import type { AskContext, AskReport } from './ask.ts';
import type { GatewayEmbeddings, GatewayVectors } from './gateway.ts';

/** Embeddings and the report of making them. */
export interface Embedded {
  readonly made: GatewayVectors;
  readonly report: AskReport;
}

/** The only way to create embeddings. */
export interface Embedder {
  /** Uses one model for all texts, without fallback; throws a CallError if it fails. */
  embed(request: GatewayEmbeddings, by: AskContext): Promise<Embedded>;
}
