/** A number from 0 up to, but not including, `below`. */
export type Draw = (below: number) => number;

/** The same numbers for the same seed. */
export function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
