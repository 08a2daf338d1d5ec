/** Dollars for a token, as a decimal text, are this many powers of ten away from micro-dollars for a million tokens. */
const SHIFT = 12;
const MAX_CHARS = 40;
const MAX_EXPONENT = 30;

/**
 * A price as OpenRouter writes it, `0.00000095` dollars for a token, in whole micro-dollars for a million. Digits are moved, not
 * multiplied, so that nothing is lost on the way. Nothing for prices that vary (`-1`) and for what is no price.
 */
export function microUsdPerMillion(perToken: unknown): number | undefined {
  const text = typeof perToken === 'number' ? String(perToken) : perToken;
  if (typeof text !== 'string' || text.length > MAX_CHARS) return undefined;
  const match = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim());
  const [, whole = '', part = '', exponent = '0'] = match ?? [];
  if (!match || whole + part === '' || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
  const shift = SHIFT - part.length + Number(exponent);
  const digits = BigInt(whole + part);
  const price = shift >= 0 ? digits * 10n ** BigInt(shift) : rounded(digits, 10n ** BigInt(-shift));
  return price <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(price) : undefined;
}

function rounded(digits: bigint, by: bigint): bigint {
  return (digits + by / 2n) / by;
}
