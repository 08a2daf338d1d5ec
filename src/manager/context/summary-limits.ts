/** Of one part that a model makes shorter: small enough for every model, large enough to have a thread. */
export const PART_TOKENS = 12_000;
export const MAX_PARTS = 96;
/** What is longer cannot be summarised, however it is cut. */
export const MAX_SUMMARISED_TOKENS = PART_TOKENS * MAX_PARTS;
