/** Of one part that a model makes shorter: small enough for every model, large enough to have a thread. */
export const PART_TOKENS = 12_000;
export const MAX_PARTS = 96;
/** What is longer cannot be summarised, however it is cut. */
export const MAX_SUMMARISED_TOKENS = PART_TOKENS * MAX_PARTS;
/** A longer summary of one text makes no sense: with more room, more of the text itself is kept. */
export const MAX_SUMMARY_TOKENS = 16_000;
/** Of a text, the most that its summary has. */
export const LONGEST_SHARE = 1 / 5;
