/** The same for every daemon of a simulation, as it is in the store. */
export const STATE_KEY = new Uint8Array(32);
