import { createTransientMap } from '#core/transient-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls, RunningCall } from '#core/calls/calls.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { HttpContext } from '../http/http-context.ts';
import { answerHeaders } from './exai-extension.ts';
import { dialectHeaders, type GatewayDialect } from './dialect.ts';
import type { CallerContext } from './request.ts';
import { CLIENT_DISCONNECTED, KEY_REVOKED, sendError } from './error-response.ts';

/** A call of an operation with a single response, such as embeddings. */
export interface UnaryCall {
  readonly tool: string;
  readonly args: object;
  readonly sha256?: string;
  /**
   * Renders the response as JSON, or undefined if it sends another one itself; the result is the
   * content of the envelope. May throw an error for the client.
   */
  readonly write: (envelope: Envelope) => string | undefined;
}

/** The running unary calls. */
export interface UnaryCalls {
  readonly size: number;
  serve(
    context: HttpContext,
    dialect: GatewayDialect,
    call: UnaryCall,
    callerContext: CallerContext,
  ): void;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
  end(error: CallError): void;
}

export function createUnaryCalls(
  calls: Pick<Calls, 'start'>,
  isCredentialValid: (caller: Caller) => boolean,
): UnaryCalls {
  const running = createTransientMap<string, RunningCall>(256);

  return {
    get size() {
      return running.size;
    },
    serve(context, dialect, { tool, args, sha256, write }, { caller, session }) {
      const call = calls.start({
        kind: 'operation',
        tool,
        args,
        ...(sha256 !== undefined && { argsSha256: sha256 }),
        caller,
        reqId: context.reqId,
        transport: dialect.name,
        session,
        fairnessKey: caller.principal,
      });
      running.add(call.reqId, call);
      context.onClose = () => call.cancel(CLIENT_DISCONNECTED);
      void call.answer.then(({ envelope, ...answered }) => {
        running.delete(call.reqId);
        const error = isCredentialValid(caller) ? answered.error : KEY_REVOKED;
        if (error) return sendError(context, dialect, error, answerHeaders(envelope));
        try {
          const body = write(envelope);
          if (body === undefined) return;
          context.answer(200, 'application/json', body, [
            ...dialectHeaders(dialect, context),
            ...answerHeaders(envelope),
          ]);
        } catch (thrown) {
          sendError(context, dialect, CallError.from(thrown));
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
