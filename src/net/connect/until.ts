import type { Socket } from 'node:net';
import type { Cancel } from '#core/http.ts';

/** Resolves at the event; rejects when the socket fails or closes, or with the signal's reason. */
export function untilEvent(socket: Socket, event: string, signal: Cancel): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      then();
    };
    const onEvent = () => settle(resolve);
    const onError = (error: Error) => settle(() => reject(error));
    const onClose = () => onError(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const onAbort = () => onError(signal.reason as Error);
    socket.on(event, onEvent).on('error', onError).on('close', onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

/** The work's outcome, or the signal's reason when that comes first; for work that cannot be called off. */
export function orAborted<T>(work: Promise<T>, signal: Cancel): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = () => signal.removeEventListener('abort', onAbort);
    void work.then(resolve, reject).finally(settle);
  });
}
