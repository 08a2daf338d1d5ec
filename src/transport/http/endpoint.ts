import type { IncomingMessage } from 'node:http';
import type { CallError } from '#core/call-error.ts';
import type { Id } from '#core/ids.ts';

/** Names and values in turn, in lower case: the form that costs node the least. */
export type HeaderList = readonly string[];

/** Where one answer goes: the response of a request, or what a test puts in its place. Nothing here throws. */
export interface Out {
  /** The whole answer at once. */
  answer(status: number, type: string, body: string, headers?: HeaderList): void;
  /** The head of a stream of events. */
  openStream(headers?: HeaderList): void;
  write(text: string): void;
  /** Ends the stream, with a last text where there is one. */
  end(last?: string): void;
  /** Ends the connection, whatever is unread. */
  cut(): void;
  /** Bytes that were written and that the peer has not taken. */
  readonly unread: number;
  /** Called once, when everything is sent or nobody is there any more. */
  onClose: (() => void) | undefined;
}

/** One request and its answer. */
export interface Exchange extends Out {
  readonly request: IncomingMessage;
  /** As the answer names it. */
  readonly reqId: Id<'req'>;
  /** Whether somebody still waits for the answer. */
  readonly isOpen: boolean;
  /** Why it was refused: for the log. */
  error: CallError | undefined;
  /**
   * It is known who asks: whether that one may have one more answer under way. Absent where these are not counted.
   */
  claim?(principal: string): boolean;
  /** Answers that the request took too long to arrive, and ends the connection. Absent where nobody is slow. */
  expire?(): void;
  /** What is called when the request has arrived shall still belong to its span; absent where there are no spans. */
  inSpan?<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void;
}

/** A path whose answers may stream: whoever serves it writes them itself. */
export interface Endpoint {
  readonly path: string;
  /** `path` alone unless told; or everything below it, too. */
  readonly serves?: 'path' | 'below';
  /** Host and Origin have been looked at. Never throws. */
  handle(exchange: Exchange): void;
  /** The words of this endpoint's protocol for a request that does not get as far as `handle`. */
  refuse(exchange: Exchange, error: CallError): void;
}
