/** A line that begins and goes on as code does, in the languages that are pasted most. */
const CODE_LINE =
  /^[ \t]{0,40}(?:import|export|from|def|class|function|const|let|var|public|private|package|func|fn|struct|#include|SELECT|return|if \(|for \(|while \()\b[^\n]{0,200}[;{(:=]/gmu;
const ENOUGH_LINES = 3;

const CODE_NAME =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|scala|cs|c|h|cc|cpp|hpp|m|php|pl|lua|sh|bash|ps1|sql|html?|css|scss|vue|svelte|ya?ml|toml|tf|gradle|dockerfile|diff|patch)$/i;

/** Whether a text has code in it: a fence, or lines that look like it. */
export function looksLikeCode(text: string): boolean {
  if (/```|~~~/.test(text)) return true;
  const lines = text.matchAll(CODE_LINE);
  for (let found = 0; found < ENOUGH_LINES; found++) if (lines.next().done) return false;
  return true;
}

export function isCodeName(name: string): boolean {
  return CODE_NAME.test(name);
}
