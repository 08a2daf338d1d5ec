/** The id of the answer to a request. */
export function messageId(reqId: string): string {
  return `msg_${bare(reqId)}`;
}

/** The id of the search that was made for it. */
export function searchId(reqId: string): string {
  return `srvtoolu_${bare(reqId)}`;
}

/** The id of a call whose vendor gave it none. */
export function callId(reqId: string, index: number): string {
  return `toolu_${bare(reqId)}_${index}`;
}

function bare(reqId: string): string {
  return reqId.startsWith('req_') ? reqId.slice('req_'.length) : reqId;
}
