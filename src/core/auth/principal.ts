/**
 * The principal of the owner of this machine's user account. The value is stored in every database,
 * so it must not change.
 */
export const OWNER_PRINCIPAL = 'local';

/** A separator that no client name contains. */
const MARK = '#';

/**
 * The principal that owns a client's conversations, jobs, results and usage: its name, or
 * `name#mark` if an earlier client had that name, so that the new client does not inherit the data
 * of the earlier one.
 */
export function markedPrincipal(name: string, mark: string): string {
  return `${name}${MARK}${mark}`;
}

/** The client's name as its user chose it. */
export function clientNameOfPrincipal(principal: string): string {
  const at = principal.indexOf(MARK);
  return at < 0 ? principal : principal.slice(0, at);
}
