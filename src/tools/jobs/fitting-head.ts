import { estimateTokens } from '#models/estimate-tokens.ts';

/** Less cannot be cut without ending within a character. */
const LEAST_CHARS = 2;

/** As much of a text, from its beginning, as has about so many tokens; never half of a character, and never nothing. */
export function fittingHead(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  let fits = LEAST_CHARS;
  // By halves: what is dense may stand anywhere in it.
  for (let over = text.length; over - fits > 1;) {
    const half = Math.floor((fits + over) / 2);
    if (estimateTokens(text.slice(0, half)) <= maxTokens) fits = half;
    else over = half;
  }
  return text.slice(0, isWithinCharacter(text, fits) ? fits - 1 : fits);
}

function isWithinCharacter(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}
