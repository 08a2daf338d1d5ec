import { ownId } from '../gateway/own-id.ts';

/** The id of the answer to a request. */
export function messageId(reqId: string): string {
  return ownId('msg_', reqId);
}

/** The id of the search that was made for it. */
export function searchId(reqId: string): string {
  return ownId('srvtoolu_', reqId);
}

/** The id of a call whose vendor gave it none. */
export function callId(reqId: string, index: number): string {
  return `${ownId('toolu_', reqId)}_${index}`;
}
