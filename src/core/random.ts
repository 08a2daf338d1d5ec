/** Unpredictable bytes from the machine, or a seeded stream in the simulator. */
export type Random = (bytes: number) => Uint8Array;
