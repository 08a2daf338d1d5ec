/** Thousandths of a token for each UTF-16 unit, so that sums are exact whatever the pieces were. */
const LATIN = 250;
const OTHER_ALPHABET = 450;
/** Chinese, Japanese and Korean: nearly a token for each sign. */
const SIGN = 750;
const TOKEN = 1000;

const LAST_LATIN = 0x24f;
const FIRST_SIGN = 0x2e80;

/** About how many tokens a text has that comes in pieces; each piece is looked at once. */
export interface RoughTokens {
  add(text: string): void;
  count(): number;
}

/** To say how long an answer is while it is written. What is to be paid or has to fit is counted in models/. */
export function createRoughTokens(): RoughTokens {
  let cost = 0;
  return {
    add(text) {
      for (let at = 0; at < text.length; at++) cost += unitCost(text.charCodeAt(at));
    },
    count: () => Math.ceil(cost / TOKEN),
  };
}

function unitCost(unit: number): number {
  if (unit <= LAST_LATIN) return LATIN;
  return unit < FIRST_SIGN ? OTHER_ALPHABET : SIGN;
}
