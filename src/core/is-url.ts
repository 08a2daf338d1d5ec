/**
 * Whether `new URL` takes it. On Node 20 `URL.canParse` says no to every text with a letter like ü as soon as the engine has compiled its
 * caller: after some thousand calls.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    return new URL(text, base).href !== '';
  } catch {
    // That is the answer.
    return false;
  }
}
