/** Chance that a seed decides: the same seed draws the same lots. */
export interface SeededRandom {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(count: number): Uint8Array;
  /**
   * A stream of its own, so that what one part of the simulation draws does not shift what another does.
   */
  fork(name: string): SeededRandom;
}

export function createRandom(seed: number): SeededRandom {
  let state = mix(seed);
  // mulberry32: 32 bits of state are plenty for a run of some hundred lots.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
    fork: (name) => createRandom(mix(seed ^ textHash(name))),
  };
}

/** Neighbouring seeds must not draw alike. */
function mix(seed: number): number {
  let bits = seed | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}

function textHash(text: string): number {
  let bits = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  return bits;
}
