import { CallError } from '#core/call-error.ts';
import { asSentence } from '#core/messages/sentence.ts';

/** What the relay says to the client in the daemon's place. `key` is the id of the request, as JSON. */
function errorLine(key: string, error: CallError, retryable: 'retryable' | 'final'): string {
  const body = {
    code: error.policy.rpcCode,
    message: error.message,
    data: {
      error_class: error.class,
      retryable: retryable === 'retryable',
      ...(error.field !== undefined && { field: error.field }),
      ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    },
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

export function unreachableLine(key: string, error: CallError): string {
  const again = isRetryable(error) ? ' It will be tried again; send this again later.' : '';
  const { field, retryAfterMs } = error;
  const told = new CallError(error.class, `${unreachableWords(error)}${again}`, {
    ...(field !== undefined && { field }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  return errorLine(key, told, isRetryable(error) ? 'retryable' : 'final');
}

/** Why there is no daemon, in whole sentences. */
export function unreachableWords({ message, fix }: CallError): string {
  const sentences = ['The daemon of EX-AI cannot be reached', message, ...(fix ? [fix] : [])];
  return sentences.map(asSentence).join(' ');
}

function isRetryable({ policy }: CallError): boolean {
  return policy.retry !== 'never';
}

export function pongLine(key: string): string {
  return `{"jsonrpc":"2.0","id":${key},"result":{}}`;
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

/**
 * Asks a daemon for a sign of life. No client knows the id, so the answer goes to nobody. It names a revision of MCP that
 * there is not, so that it does not decide in the client's place which one this connection speaks.
 */
export const PING_LINE =
  '{"jsonrpc":"2.0","id":"exai-shim-ping","method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"none"}}}';
