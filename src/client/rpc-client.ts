import { CallError, type ErrorFacts } from '#core/call-error.ts';
import type { Progress } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import { ERROR_CLASSES, ERROR_POLICY, isErrorClass, type ErrorClass } from '#core/error-class.ts';
import { command, fix, isFix } from '#core/messages/fixes.ts';
import type { Reason } from '#core/messages/reasons.ts';
import { STREAM_KEY, TEXT_KEY } from '#mcp/meta-keys.ts';
import type { Link } from './link/link.ts';

export interface RequestOptions {
  /** Cancels the request at the daemon. */
  readonly signal?: AbortSignal;
  /** How long to wait for the answer; for ever unless told. */
  readonly timeoutMs?: number;
  readonly onProgress?: (step: Progress) => void;
  /** Whether progress brings the answer as it comes; it does not unless told. */
  readonly text?: 'streamed';
}

export interface RpcClient {
  /** The result as it came. Rejects with the class that the daemon gave, or `network` when it went away. */
  request(method: string, params: object, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
}

interface Waiting {
  readonly settle: (act: () => void) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CallError) => void;
  readonly onProgress: RequestOptions['onProgress'];
}

/** A refusal of the daemon's, with the id under which its log has the request. */
export class DaemonError extends CallError {
  readonly reqId: string | undefined;

  constructor(
    errorClass: ErrorClass,
    message: string,
    facts: ErrorFacts,
    reqId: string | undefined,
  ) {
    super(errorClass, message, facts);
    this.reqId = reqId;
  }
}

const METHOD_NOT_FOUND = -32601;

/** JSON-RPC over a link: any number of requests at once, each answered once. */
export function createRpcClient(
  link: Pick<Link, 'send' | 'onLine' | 'onClose'>,
  clock: Clock,
): RpcClient {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: CallError | undefined;

  const send = (message: object) => void link.send(JSON.stringify({ jsonrpc: '2.0', ...message }));

  link.onLine((line) => {
    const message = parse(line);
    if (!message) return;
    const { id, method, params } = message;
    if (method === 'notifications/progress') return tellProgress(params);
    if (typeof method === 'string') {
      // The daemon asks something of its client; a command line has nothing to offer.
      if (id !== undefined)
        send({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
      return;
    }
    const asked = typeof id === 'number' ? waiting.get(id) : undefined;
    asked?.settle(() =>
      'result' in message
        ? asked.resolve(message['result'])
        : asked.reject(toError(message['error'])),
    );
  });
  link.onClose((reason) => {
    gone = new CallError('network', `The connection to the daemon ended. ${reason}`, {
      fixes: [fix('retry'), command('exai logs', 'see what happened')],
    });
    const error = gone;
    for (const asked of waiting.values()) asked.settle(() => asked.reject(error));
  });

  function tellProgress(params: unknown): void {
    const { progressToken, progress, total, message, _meta } = asRecord(params);
    const { [TEXT_KEY]: text } = asRecord(_meta);
    const asked = typeof progressToken === 'number' ? waiting.get(progressToken) : undefined;
    asked?.onProgress?.({
      ...(typeof message === 'string' && { note: message }),
      ...(typeof progress === 'number' && { done: progress }),
      ...(typeof total === 'number' && { total }),
      ...(typeof text === 'string' && { text }),
    });
  }

  return {
    notify: (method, params) => send({ method, params }),

    request: (method, params, { signal, timeoutMs, onProgress, text } = {}) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(gone);
        if (signal?.aborted) return reject(cancelled());
        const id = ++lastId;
        const giveUp = (error: CallError) => {
          send({
            method: 'notifications/cancelled',
            params: { requestId: id, reason: error.message },
          });
          asked.settle(() => reject(error));
        };
        const onAbort = () => giveUp(cancelled());
        const timer =
          timeoutMs === undefined
            ? undefined
            : clock.after(timeoutMs, () => giveUp(late(timeoutMs)));
        const asked: Waiting = {
          resolve,
          reject,
          onProgress,
          settle(act) {
            if (!waiting.delete(id)) return;
            timer?.stop();
            signal?.removeEventListener('abort', onAbort);
            act();
          },
        };
        waiting.set(id, asked);
        signal?.addEventListener('abort', onAbort, { once: true });
        const wish = text === 'streamed' ? { [STREAM_KEY]: true } : {};
        const told = onProgress ? { progressToken: id, ...wish } : {};
        const meta = { ...asRecord('_meta' in params ? params._meta : undefined), ...told };
        const isBare = Object.keys(meta).length === 0;
        send({ id, method, params: isBare ? params : { ...params, _meta: meta } });
      }),
  };
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(line));
  } catch {
    // A line that is no JSON answers nothing; what waits for an answer has its own limits.
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The daemon's own words; it says the class beside the code, and strangers to it are known by the code alone. */
function toError(error: unknown): CallError {
  const { code, message, data } = asRecord(error);
  if (code === METHOD_NOT_FOUND) return unknownMethod();
  const {
    error_class: named,
    field,
    fix,
    retry_after_ms: retryAfterMs,
    req_id: reqId,
    error: parts,
  } = asRecord(data);
  const known = typeof named === 'string' && isErrorClass(named) ? named : classOf(code);
  const words = typeof message === 'string' ? message : 'The daemon refused without a reason.';
  const told = partsOf(parts);
  const facts: ErrorFacts = {
    ...(typeof field === 'string' && { field }),
    ...(typeof fix === 'string' && { fix }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...told?.facts,
  };
  const id = typeof reqId === 'string' ? reqId : undefined;
  return new DaemonError(known, told?.message ?? words, facts, id);
}

/** The failure in parts; nothing from a daemon of another version whose fixes are not known here. */
function partsOf(parts: unknown): { message: string; facts: ErrorFacts } | undefined {
  const { message, field, fixes = [], reason } = asRecord(parts);
  if (typeof message !== 'string' || !Array.isArray(fixes) || !fixes.every(isFix)) return undefined;
  return {
    message,
    facts: {
      ...(typeof field === 'string' && { field }),
      ...(fixes.length > 0 && { fixes }),
      ...(reason !== undefined && { reason: reason as Reason }),
    },
  };
}

function classOf(code: unknown): ErrorClass {
  return ERROR_CLASSES.find((each) => ERROR_POLICY[each].rpcCode === code) ?? 'bad_response';
}

function unknownMethod(): CallError {
  return new CallError('not_found', 'The daemon does not answer this question here.', {
    fixes: [
      'It may be of another version, or EXAI_HOME too long a path for its socket.',
      command('exai doctor'),
    ],
  });
}

function cancelled(): CallError {
  return new CallError('cancelled', 'The call was cancelled.');
}

function late(timeoutMs: number): CallError {
  return new CallError(
    'timeout',
    `No answer within ${timeoutMs / 1000} seconds; the call was cancelled.`,
    {
      fix: 'Give it more time with --timeout.',
    },
  );
}
