import { readAnthropicJson, readAnthropicStream } from './gateway-read-anthropic.ts';
import type { ReadAnswer, Shape } from './gateway-read-answer.ts';
import { readOpenAiJson, readOpenAiStream } from './gateway-read-openai.ts';

export type {
  ReadAnswer,
  ReadCall,
  ReadChoice,
  ReadEnd,
  ReadFailure,
  ReadUsage,
  Shape,
} from './gateway-read-answer.ts';
export { readAnthropicJson, readAnthropicStream, readOpenAiJson, readOpenAiStream };

/** What was received over HTTP, as far as it came. */
export interface Received {
  readonly status: number;
  /** The content-type. */
  readonly type: string;
  readonly body: string;
}

/**
 * An answer or a refusal, as a strict client of that API reads it; `wrong` says what it would
 * object to.
 */
export function readAnswer(shape: Shape, { status, type, body }: Received): ReadAnswer {
  const isStream = type.startsWith('text/event-stream');
  const isOpenAi = shape === 'openai';
  const read = isStream
    ? isOpenAi
      ? readOpenAiStream(body)
      : readAnthropicStream(body)
    : isOpenAi
      ? readOpenAiJson(body)
      : readAnthropicJson(body);
  const isRefused = status !== 200;
  const wrong = [
    ...(isStream || type.startsWith('application/json') ? [] : [`content-type ${type}`]),
    ...(isStream && isRefused ? [`a stream with status ${status}`] : []),
    ...(!isStream && isRefused !== (read.end === 'failed')
      ? [`status ${status} for an answer that is ${read.end}`]
      : []),
  ];
  return wrong.length === 0 ? read : { ...read, wrong: [...wrong, ...read.wrong] };
}
