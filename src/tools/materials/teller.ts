import type { Clock } from '#core/clock.ts';

/** Says to one principal alone that what stands at an address has changed. */
export type Touch = (uri: string, principal: string) => void;

/** `soon`: a moment later, when what changed is there to be read. */
export type Tell = (uri: string, principal: string, when: 'now' | 'soon') => void;

const REST_MS = 1_000;
/** So many addresses rest at once; beyond that each change is told as it comes. */
const MAX_RESTING = 10_000;

/** Tells of an address at most once a second, and always of the last change. */
export function createTeller(touch: Touch, clock: Pick<Clock, 'after'>): Tell {
  const resting = new Map<string, { hasChanged: boolean }>();

  function rest(key: string, hasChanged: boolean, tell: () => void): void {
    const state = { hasChanged };
    resting.set(key, state);
    clock.after(REST_MS, () => {
      resting.delete(key);
      if (!state.hasChanged) return;
      tell();
      rest(key, false, tell);
    });
  }

  return (uri, principal, when) => {
    const key = `${principal}\n${uri}`;
    const state = resting.get(key);
    if (state) {
      state.hasChanged = true;
      return;
    }
    const tell = () => touch(uri, principal);
    if (when === 'now' || resting.size >= MAX_RESTING) tell();
    if (resting.size < MAX_RESTING) rest(key, when === 'soon', tell);
  };
}
