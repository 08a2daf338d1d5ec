import { ownId } from '../gateway/own-id.ts';

/** The id of the answer to a request. */
export function completionId(reqId: string): string {
  return ownId('chatcmpl-', reqId);
}
