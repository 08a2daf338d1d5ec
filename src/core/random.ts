/** Source of random bytes: the machine's, or a seeded stream in the simulator. */
export type Random = (bytes: number) => Uint8Array;
