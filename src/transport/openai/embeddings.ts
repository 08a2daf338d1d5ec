import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { GatewayEmbeddings, GatewayVectors } from '#core/llm/gateway.ts';
import { exaiExtension } from '../gateway/exai-extension.ts';
import {
  fieldError,
  fieldProblem,
  readBodyObject,
  readChoice,
  readInteger,
} from '../gateway/fields.ts';
import { readModelName } from '../gateway/model-name.ts';

type VectorEncoding = 'float' | 'base64';

/** An embeddings request after parsing. */
interface ParsedEmbeddings {
  readonly request: GatewayEmbeddings;
  readonly encoding: VectorEncoding;
}

const MAX_TEXTS = 2048;
const MAX_DIMENSIONS = 65_536;
const ENCODINGS = ['float', 'base64'] as const;

/** Reads the body of `POST /v1/embeddings`. Throws `validation` or `bad_request`. */
export function readEmbeddings(value: unknown): ParsedEmbeddings {
  const body = readBodyObject(value, '{"model": "auto", "input": "…"}');
  const dimensions = readInteger(body['dimensions'], 'dimensions', 1, MAX_DIMENSIONS);
  return {
    request: {
      model: readModelName(body['model']),
      texts: readInput(body['input']),
      ...(dimensions !== undefined && { dimensions }),
    },
    encoding: readChoice(body['encoding_format'], 'encoding_format', ENCODINGS) ?? 'float',
  };
}

function readInput(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    if (value !== '') return [value];
    throw fieldError('input', 'The text is empty.', 'Send at least one character.');
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw fieldProblem('input', 'must be a text or a list of texts', 'Send a text.');
  }
  if (value.length > MAX_TEXTS) {
    const message = `There are ${value.length} texts, and ${MAX_TEXTS} are the most.`;
    throw fieldError('input', message, 'Send them in several requests.');
  }
  const texts = value as readonly unknown[];
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
    throw fieldError(`input[${at}]`, 'This is not a text.', 'Send a list of texts.');
  }
  return texts as readonly string[];
}

interface FinishedEmbeddings {
  readonly reqId: string;
  readonly answer: GatewayVectors;
  readonly envelope: Envelope;
}

/** Writes the response with the vectors, as JSON. */
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
    exai: { ...exaiExtension(finished), provider, model },
  });
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Little-endian 32-bit floats in base64, on every machine. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}
