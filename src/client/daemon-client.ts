import { isCallPhase, type Progress } from '#core/calls/call.ts';
import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import {
  ERROR_CLASSES,
  ERROR_POLICY,
  isErrorClass,
  type ErrorClass,
} from '#core/errors/error-class.ts';
import { commandFix, fix, isFix } from '#core/messages/fixes.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { Clock } from '#core/time/clock.ts';
import { VERSION } from '#core/version.ts';
import {
  BACKGROUND_KEY,
  PHASE_KEY,
  STREAM_KEY,
  TEXT_KEY,
  WAIT_KEY,
  WHOLE_KEY,
} from '#mcp/meta-keys.ts';
import type { Link } from './link/link.ts';

export interface DaemonClient extends Pick<RpcClient, 'request'> {
  /** Notices of the daemon for its user. */
  readonly notices: readonly SentNotice[];
}

const PROTOCOL = '2025-11-25';
const INITIALIZE_TIMEOUT_MS = 15_000;
/** Our own methods need no `initialize`. */
const OWN_METHOD_PREFIX = 'exai/';

/** Runs `work` with a client of the daemon and closes the link afterwards. */
export async function withDaemon<T>(
  reach: () => Promise<Link>,
  clock: Clock,
  work: (client: DaemonClient) => Promise<T>,
): Promise<T> {
  const link = await reach();
  try {
    return await work(createDaemonClient(link, clock));
  } finally {
    link.close();
  }
}

function createDaemonClient(link: Link, clock: Clock): DaemonClient {
  const rpc = createRpcClient(link, clock);
  let initialized: Promise<void> | undefined;

  async function initialize(): Promise<void> {
    const clientInfo = { name: 'exai-cli', version: VERSION };
    const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
    await rpc.request('initialize', params, { timeoutMs: INITIALIZE_TIMEOUT_MS });
    rpc.notify('notifications/initialized', {});
  }

  return {
    notices: link.welcome.notices,
    async request(method, params, options) {
      if (!method.startsWith(OWN_METHOD_PREFIX)) await (initialized ??= initialize());
      return rpc.request(method, method === 'tools/call' ? withoutLimits(params) : params, options);
    },
  };
}

/**
 * Adds `_meta` of the command line: it waits as long as needed and takes answers of any length,
 * unless the call runs in the background.
 */
function withoutLimits(params: { readonly _meta?: object }): object {
  const { _meta: meta = {} } = params;
  const wait = BACKGROUND_KEY in meta ? {} : { [WAIT_KEY]: true };
  return { ...params, _meta: { ...wait, [WHOLE_KEY]: true, ...meta } };
}

export interface RequestOptions {
  /** Cancels the request at the daemon. */
  readonly signal?: AbortSignal;
  /** Time limit of the request; default: none. */
  readonly timeoutMs?: number;
  /** `silence`: each step of the call starts the time limit again; default: it is for the whole answer. */
  readonly timeoutOf?: 'answer' | 'silence';
  readonly onProgress?: (step: Progress) => void;
  /** `streamed`: progress carries the text of the answer; default: it does not. */
  readonly text?: 'streamed';
}

interface RpcClient {
  /**
   * The result as received. Rejects with the error class of the daemon, or with `network` if the
   * connection ends.
   */
  request(method: string, params: object, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
}

interface PendingRpc {
  readonly settle: (act: () => void) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CallError) => void;
  readonly onProgress: RequestOptions['onProgress'];
  /** The call has made a step, other than to be alive. */
  readonly onStep: () => void;
}

/** An error of the daemon, with the request id of its log. */
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

/** JSON-RPC client over a link: any number of concurrent requests. */
function createRpcClient(link: Pick<Link, 'send' | 'onLine' | 'onClose'>, clock: Clock): RpcClient {
  const pendingById = new Map<number, PendingRpc>();
  let lastId = 0;
  let gone: CallError | undefined;

  const send = (message: object) => void link.send(JSON.stringify({ jsonrpc: '2.0', ...message }));

  link.onLine((line) => {
    const message = parse(line);
    if (!message) return;
    const { id, method, params } = message;
    if (method === 'notifications/progress') return onProgressNotification(params);
    if (typeof method === 'string') {
      // A request of the daemon to its client; a command line supports none.
      if (id !== undefined)
        send({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
      return;
    }
    const pending = typeof id === 'number' ? pendingById.get(id) : undefined;
    pending?.settle(() =>
      'result' in message
        ? pending.resolve(message['result'])
        : pending.reject(toError(message['error'])),
    );
  });
  link.onClose((reason) => {
    gone = new CallError('network', `The connection to the daemon ended. ${reason}`, {
      fixes: [fix('retry'), commandFix('exai logs', 'see what happened')],
    });
    const error = gone;
    for (const pending of pendingById.values()) pending.settle(() => pending.reject(error));
  });

  function onProgressNotification(params: unknown): void {
    const { progressToken, progress, total, message, _meta } = asRecord(params);
    const { [TEXT_KEY]: text, [PHASE_KEY]: phase } = asRecord(_meta);
    const pending = typeof progressToken === 'number' ? pendingById.get(progressToken) : undefined;
    // A regular note that the call is alive has a phase.
    if (phase === undefined || typeof text === 'string') pending?.onStep();
    pending?.onProgress?.({
      ...(typeof message === 'string' && { note: message }),
      ...(typeof progress === 'number' && { done: progress }),
      ...(typeof total === 'number' && { total }),
      ...(isCallPhase(phase) && { phase }),
      ...(typeof text === 'string' && { text }),
    });
  }

  return {
    notify: (method, params) => send({ method, params }),

    request: (method, params, options = {}) =>
      new Promise((resolve, reject) => {
        const { signal, timeoutMs, timeoutOf = 'answer', onProgress, text } = options;
        if (gone) return reject(gone);
        if (signal?.aborted) return reject(cancelled());
        const id = ++lastId;
        const giveUp = (error: CallError) => {
          send({
            method: 'notifications/cancelled',
            params: { requestId: id, reason: error.message },
          });
          pending.settle(() => reject(error));
        };
        const onAbort = () => giveUp(cancelled());
        const startTimer = () =>
          timeoutMs === undefined
            ? undefined
            : clock.after(timeoutMs, () => giveUp(late(timeoutMs, timeoutOf)));
        let timer = startTimer();
        const pending: PendingRpc = {
          resolve,
          reject,
          onProgress,
          onStep() {
            if (timeoutOf === 'answer') return;
            timer?.stop();
            timer = startTimer();
          },
          settle(act) {
            if (!pendingById.delete(id)) return;
            timer?.stop();
            signal?.removeEventListener('abort', onAbort);
            act();
          },
        };
        pendingById.set(id, pending);
        signal?.addEventListener('abort', onAbort, { once: true });
        const stream = text === 'streamed' ? { [STREAM_KEY]: true } : {};
        const progress = onProgress ? { progressToken: id, ...stream } : {};
        const meta = { ...asRecord('_meta' in params ? params._meta : undefined), ...progress };
        const isBare = Object.keys(meta).length === 0;
        send({ id, method, params: isBare ? params : { ...params, _meta: meta } });
      }),
  };
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(line));
  } catch {
    // A line that is not JSON answers nothing; pending requests have their own limits.
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The error of a response: its class is in `data`, or else follows from the JSON-RPC code. */
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
  const errorClass = typeof named === 'string' && isErrorClass(named) ? named : classOf(code);
  const text = typeof message === 'string' ? message : 'The daemon refused without a reason.';
  const structured = partsOf(parts);
  const facts: ErrorFacts = {
    ...(typeof field === 'string' && { field }),
    ...(typeof fix === 'string' && { fix }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...structured?.facts,
  };
  const id = typeof reqId === 'string' ? reqId : undefined;
  return new DaemonError(errorClass, structured?.message ?? text, facts, id);
}

/**
 * The structured error; undefined if a daemon of another version sent fixes that are unknown here.
 */
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
      commandFix('exai doctor'),
    ],
  });
}

function cancelled(): CallError {
  return new CallError('cancelled', 'The call was cancelled.');
}

function late(timeoutMs: number, of: 'answer' | 'silence'): CallError {
  const what = of === 'answer' ? 'No answer' : 'No answer and no progress';
  return new CallError(
    'timeout',
    `${what} within ${timeoutMs / 1000} seconds; the call was cancelled.`,
    {
      fixes: [
        'Give it more time with --timeout.',
        commandFix('exai status', 'see whether the daemon works'),
      ],
    },
  );
}
