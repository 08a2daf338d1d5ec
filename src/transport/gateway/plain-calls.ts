import { createBriefMap } from '#core/brief-map.ts';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls, RunningCall } from '#core/calls.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import type { Exchange } from '../http/endpoint.ts';
import { headersOf } from './answer-headers.ts';
import type { Dialect } from './dialect.ts';
import type { Asker } from './posted-endpoint.ts';
import { refuse } from './refuse.ts';

/** An operation whose answer is told when it is whole. */
export interface PlainOrder {
  readonly tool: string;
  readonly args: object;
  readonly sha256?: string;
  /** The answer as JSON; what the operation gave is the content of the envelope. May throw what the client is told instead. */
  readonly write: (envelope: Envelope) => string;
}

/** The operations under way. */
export interface PlainCalls {
  readonly size: number;
  serve(exchange: Exchange, dialect: Dialect, order: PlainOrder, asker: Asker): void;
  /** Resolves when all of them are over. */
  idle(): Promise<void>;
  end(error: CallError): void;
}

const GONE = new CallError('cancelled', 'The client hung up.');

const REVOKED = new CallError('auth', 'The key was taken away before this was answered.');

export function createPlainCalls(
  calls: Pick<Calls, 'start'>,
  isGood: (caller: Caller) => boolean,
): PlainCalls {
  const running = createBriefMap<string, RunningCall>(256);

  return {
    get size() {
      return running.size;
    },
    serve(exchange, dialect, { tool, args, sha256, write }, { caller, session }) {
      const call = calls.start({
        kind: 'operation',
        tool,
        args,
        ...(sha256 !== undefined && { argsSha256: sha256 }),
        caller,
        reqId: exchange.reqId,
        door: dialect.door,
        session,
        turn: caller.principal,
      });
      running.add(call.reqId, call);
      exchange.onClose = () => call.cancel(GONE);
      void call.answer.then(({ envelope, ...answered }) => {
        running.delete(call.reqId);
        const error = isGood(caller) ? answered.error : REVOKED;
        if (error) return refuse(exchange, dialect, error, headersOf(envelope));
        try {
          exchange.answer(200, 'application/json', write(envelope), [
            dialect.idHeader,
            exchange.reqId,
            ...headersOf(envelope),
          ]);
        } catch (thrown) {
          refuse(exchange, dialect, CallError.from(thrown));
        }
      });
    },
    async idle() {
      await Promise.all(running.values().map(({ answer }) => answer));
    },
    end(error) {
      for (const call of running.values()) call.cancel(error);
    },
  };
}
