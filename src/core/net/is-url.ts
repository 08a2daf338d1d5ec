/**
 * Whether `new URL` accepts it. On Node 20 `URL.canParse` wrongly rejects texts with letters like ü
 * once the engine has compiled its caller, after some thousand calls.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    return new URL(text, base).href !== '';
  } catch {
    // Not a URL.
    return false;
  }
}
