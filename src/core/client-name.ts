/** Stands in no name of a client. */
const MARK = '#';

/**
 * Under what a client's conversations, jobs, results and usage are kept: its name, or where an earlier client had that name
 * `name#mark`, so that the new one does not get what the earlier one left.
 */
export function markedPrincipal(name: string, mark: string): string {
  return `${name}${MARK}${mark}`;
}

/** The name that people gave the client. */
export function clientNameOf(principal: string): string {
  const at = principal.indexOf(MARK);
  return at < 0 ? principal : principal.slice(0, at);
}
