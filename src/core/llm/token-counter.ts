/** Thousandths of a token per UTF-16 unit, so that sums do not depend on how a text is split. */
const LATIN = 250;
const OTHER_ALPHABET = 450;
/** Chinese, Japanese and Korean: nearly a token per character. */
const SIGN = 750;
const TOKEN = 1000;

const LAST_LATIN = 0x24f;
const FIRST_SIGN = 0x2e80;

/** A running token estimate of streamed text. */
export interface TokenCounter {
  add(text: string): void;
  count(): number;
}

/** For progress displays only; budgets and context limits use the estimates of models/. */
export function createTokenCounter(): TokenCounter {
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
