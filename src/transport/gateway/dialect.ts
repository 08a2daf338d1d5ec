import type { IncomingHttpHeaders } from 'node:http';
import type { StreamPart, AttemptStart } from '#core/llm/stream-part.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { GatewayChat, GatewayChatAnswer } from '#core/llm/gateway.ts';
import type { GatewayRequestOptions } from './request-options.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';

/** A chat that has finished. */
export interface FinishedChat {
  readonly reqId: string;
  readonly atMs: number;
  readonly answer: GatewayChatAnswer;
  /** Usage, attempts, notices and seams of the whole chat. */
  readonly envelope: Envelope;
}

/** A chat that failed after the head of its stream was sent. */
export interface FailedChat {
  readonly reqId: string;
  readonly error: CallError;
  readonly envelope: Envelope;
}

/**
 * Writes one streamed answer as SSE events. Every method returns complete events, ready to be sent,
 * or an empty text. No method throws.
 */
export interface StreamWriter {
  /** The first event, if the dialect has one. Called before all other methods. */
  begin(reqId: string, atMs: number, asked: AttemptStart): string;
  piece(piece: StreamPart, choice: number): string;
  /** An event or comment without meaning, sent while the model is silent. */
  readonly keepalive: string;
  /** The last events, which mark the answer as complete. */
  end(finished: FinishedChat): string;
  /** The error as an event, without anything that a client could take for a complete answer. */
  fail(failed: FailedChat): string;
}

/** A chat request after parsing, with the writers for its response. */
export interface ParsedChat {
  readonly chat: GatewayChat;
  readonly delivery: 'stream' | 'whole';
  /** The response to a request that is not streamed, as JSON. */
  renderResponse(finished: FinishedChat): string;
  /** Called before the end of a successful answer is written, to store it. Must not reject. */
  save?(finished: FinishedChat): Promise<void>;
  createWriter(): StreamWriter;
}

/** An HTTP response for an error. */
export interface ErrorResponse {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly headers?: HeaderList;
}

/** The API of one vendor: how its requests are read and its responses written. */
export interface GatewayDialect {
  readonly name: 'openai' | 'anthropic';
  /** The vendor's response header for the request id; sent beside ours. */
  readonly idHeader: string;
  /**
   * Reads parsed JSON as a chat request. Throws `validation` or `bad_request`, with the client's
   * name of the field.
   */
  readChat(
    body: unknown,
    options: GatewayRequestOptions,
    headers?: IncomingHttpHeaders,
  ): ParsedChat;
  errorResponse(error: CallError, reqId: string): ErrorResponse;
}

/** The version of OpenAI's API that its own answers name. */
const OPENAI_VERSION = '2020-10-01';

/** The vendor's headers of every response: its request id, and for OpenAI version and time. */
export function dialectHeaders(
  { name, idHeader }: Pick<GatewayDialect, 'name' | 'idHeader'>,
  context: Pick<HttpContext, 'reqId' | 'elapsedMs'>,
): HeaderList {
  const { reqId } = context;
  if (name !== 'openai') return [idHeader, reqId];
  const elapsedMs = String(Math.round(context.elapsedMs?.() ?? 0));
  return [idHeader, reqId, 'openai-version', OPENAI_VERSION, 'openai-processing-ms', elapsedMs];
}
