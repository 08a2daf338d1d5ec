import { isObject, isRequestId, type RequestId } from './json-rpc.ts';

/**
 * The last message of a daemon that stops, to a client that sends requests again: it reads nothing
 * more.
 */
export const STOPPING_METHOD = 'notifications/exai/stopping';

/** `begun`: the requests without an answer that were begun; the others were not. */
export function stoppingMessage(begun: readonly RequestId[]): string {
  return JSON.stringify({ jsonrpc: '2.0', method: STOPPING_METHOD, params: { begun } });
}

/** The ids of the requests that were begun; undefined if the message is not valid. */
export function readStopping(params: unknown): readonly RequestId[] | undefined {
  const { begun } = isObject(params) ? params : {};
  return Array.isArray(begun) && begun.every(isRequestId) ? begun : undefined;
}
