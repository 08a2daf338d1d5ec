/** Deeper nodes allow anything: no tool of anybody's is like that. */
export const MAX_DEPTH = 40;
const MAX_COPIED = 100_000;

/**
 * What may still be spent on putting schemas together. A schema can refer to a large part of itself as often as it likes, and what is
 * written of it must not grow with the square of its length.
 */
export interface Effort {
  left: number;
}

export function createEffort(): Effort {
  return { left: MAX_COPIED };
}

/** Whether so many members may be copied. Once nothing is left they are not even counted. */
export function spend(effort: Effort, countMembers: () => number): boolean {
  if (effort.left < 0) return false;
  effort.left -= countMembers() + 1;
  return effort.left >= 0;
}
