/** An absolute address, or `undefined` for a text that is none. */
export function parseAddress(text: string | undefined, base?: string): URL | undefined {
  if (text === undefined) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined; // Not an address.
  }
}
