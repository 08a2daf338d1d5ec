import type { Random } from '#core/random.ts';

/** A random number in [0, 1). */
export function unitRandom(random: Random): number {
  const [a = 0, b = 0, c = 0, d = 0] = random(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32;
}
