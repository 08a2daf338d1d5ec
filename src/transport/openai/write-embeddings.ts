import type { Envelope } from '#core/envelope.schema.ts';
import type { GatewayVectors } from '#core/gateway.ts';
import { answerFacts } from '../gateway/answer-facts.ts';
import type { VectorEncoding } from './read-embeddings.ts';

export interface FinishedEmbeddings {
  readonly reqId: string;
  readonly answer: GatewayVectors;
  readonly envelope: Envelope;
}

/** A list of vectors, as JSON. */
export function writeEmbeddings(finished: FinishedEmbeddings, encoding: VectorEncoding): string {
  const { vectors, model, provider, usage } = finished.answer;
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'base64' ? toBase64(vector) : Array.from(vector),
  }));
  return JSON.stringify({
    object: 'list',
    data,
    model,
    usage: { prompt_tokens: usage.input, total_tokens: usage.input },
    exai: { ...answerFacts(finished), provider, model },
  });
}

const LOWEST_FIRST = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Four bytes a number, the lowest first, whatever machine this is. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (LOWEST_FIRST ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}
