import type { GatewayEmbeddings } from '#core/gateway.ts';
import { fieldError, fieldProblem, readBody, readChoice, readInteger } from '../gateway/fields.ts';
import { readModel } from '../gateway/read-model.ts';

export type VectorEncoding = 'float' | 'base64';

/** Vectors as a client ordered them. */
export interface EmbeddingsOrder {
  readonly request: GatewayEmbeddings;
  readonly encoding: VectorEncoding;
}

const MAX_TEXTS = 2048;
const MAX_DIMENSIONS = 65_536;
const ENCODINGS = ['float', 'base64'] as const;

/** The body of `POST /v1/embeddings`. Throws `validation` or `bad_request`. */
export function readEmbeddings(value: unknown): EmbeddingsOrder {
  const body = readBody(value, '{"model": "auto", "input": "…"}');
  const dimensions = readInteger(body['dimensions'], 'dimensions', 1, MAX_DIMENSIONS);
  return {
    request: {
      model: readModel(body['model']),
      texts: readInput(body['input']),
      ...(dimensions !== undefined && { dimensions }),
    },
    encoding: readChoice(body['encoding_format'], 'encoding_format', ENCODINGS) ?? 'float',
  };
}

function readInput(given: unknown): readonly string[] {
  if (typeof given === 'string') {
    if (given !== '') return [given];
    throw fieldError('input', 'The text is empty.', 'Send at least one character.');
  }
  if (!Array.isArray(given) || given.length === 0) {
    throw fieldProblem('input', 'must be a text or a list of texts', 'Send a text.');
  }
  if (given.length > MAX_TEXTS) {
    const message = `There are ${given.length} texts, and ${MAX_TEXTS} are the most.`;
    throw fieldError('input', message, 'Send them in several requests.');
  }
  const texts = given as readonly unknown[];
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at];
    if (typeof text === 'string' && text !== '') continue;
    if (text === '') {
      throw fieldError(`input[${at}]`, 'The text is empty.', 'Leave it out.');
    }
    if (typeof text === 'number' || Array.isArray(text)) {
      throw fieldError(
        typeof text === 'number' ? 'input' : `input[${at}]`,
        'These are tokens, and they mean something else to every model.',
        'Send texts; in LangChain for Python set check_embedding_ctx_length=False.',
      );
    }
    throw fieldError(`input[${at}]`, 'This is no text.', 'Send a list of texts.');
  }
  return texts as readonly string[];
}
