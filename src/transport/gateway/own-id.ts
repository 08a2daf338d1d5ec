/** An id of ours, as a vendor would write it. It is that of the request but for its prefix, so that the log can be searched for it. */
export function ownId(prefix: string, reqId: string): string {
  return `${prefix}${reqId.slice(reqId.indexOf('_') + 1)}`;
}
