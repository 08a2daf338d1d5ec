import { isUtf8 } from 'node:buffer';
import type { CallError } from '#core/errors/call-error.ts';
import { createMessageOrder } from '#core/large-json/message-order.ts';
import { LARGE_BODY_BYTES } from '#core/large-json/parse-large-body.ts';
import { createLines, notUtf8Line } from '#core/local-socket/lines.ts';
import { readLargeRpcLine, type RpcLine } from './rpc-lines.ts';

export interface ClientLinesOptions {
  /** Longer lines are refused. */
  readonly maxBytes: number;
  /** A text that the client does not know. */
  readonly mark: string;
  /** `message`: what a large line says; a shorter one is not parsed yet. */
  readonly onLine: (line: string, message?: RpcLine) => void;
  readonly onRefused: (error: CallError) => void;
  /** Stops and resumes the reading of what the client sends. */
  readonly onReading: (reading: 'on' | 'off') => void;
}

export interface ClientLines {
  push(chunk: Uint8Array): void;
  /** Ends the input, and calls `then` after the last line. */
  end(then: () => void): void;
}

interface LargeLine {
  readonly line: string;
  readonly message: RpcLine;
}

/**
 * The lines that a client sends, in their order. A large one, such as a call with files as content,
 * is parsed in steps; those behind it wait, and nothing more is read meanwhile.
 */
export function createClientLines(options: ClientLinesOptions): ClientLines {
  const { maxBytes, mark, onLine, onRefused, onReading } = options;
  const order = createMessageOrder<LargeLine>({
    parseLarge: async (bytes) => ({
      message: await readLargeRpcLine(bytes, mark),
      line: bytes.toString('utf8'),
    }),
    deliver(each) {
      if (typeof each === 'string') onLine(each);
      else onLine(each.line, each.message);
    },
    onBusy: () => onReading('off'),
    onIdle: () => onReading('on'),
  });
  const lines = createLines({
    maxBytes,
    onLine: (line) => order.push(line),
    large: {
      minBytes: LARGE_BODY_BYTES,
      onLine(bytes) {
        if (isUtf8(bytes)) order.push(bytes);
        else onRefused(notUtf8Line());
      },
    },
    onRefused,
  });
  return {
    push: (chunk) => lines.push(chunk),
    end(then) {
      lines.end();
      order.atEnd(then);
    },
  };
}
