import { CallError } from '#core/call-error.ts';

/** What the relay says to the client in the daemon's place. `key` is the id of the request, as JSON. */
function errorLine(key: string, error: CallError, retryable: 'retryable' | 'final'): string {
  const body = {
    code: error.policy.rpcCode,
    message: error.message,
    data: { error_class: error.class, retryable: retryable === 'retryable' },
  };
  return `{"jsonrpc":"2.0","id":${key},"error":${JSON.stringify(body)}}`;
}

const INTERRUPTED = new CallError(
  'interrupted',
  'The connection to the daemon of EX-AI broke before this was answered, so it may have been done or not. It may be sent again.',
);

export function interruptedLine(key: string): string {
  return errorLine(key, INTERRUPTED, 'retryable');
}

export function unreachableLine(key: string, { message, fix }: CallError): string {
  const todo = fix === undefined ? '' : ` ${fix}`;
  const words = `The daemon of EX-AI cannot be reached. ${message}${todo} It is tried again all the time; send this again later.`;
  return errorLine(key, new CallError('network', words), 'retryable');
}

export function idInUseLine(key: string): string {
  const words = 'A request with this id has no answer yet; each needs an id of its own.';
  return errorLine(key, new CallError('bad_request', words), 'final');
}

export function tooLargeLine(key: string, maxBytes: number): string {
  const words = `This message is longer than the ${maxBytes} bytes that the daemon takes.`;
  return errorLine(key, new CallError('too_large', words), 'final');
}

/** Takes back what the daemon asked of the client: nobody waits for it any more. */
export function cancelledLine(key: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${key},"reason":"The connection to the daemon broke."}}`;
}

export const TOOLS_CHANGED_LINE = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
