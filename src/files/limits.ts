const MEGABYTE = 1_000_000;

/** Of one text. */
export const MAX_FILE_BYTES = 2 * MEGABYTE;
/** Of all texts of one reading. */
export const MAX_ALL_BYTES = 20 * MEGABYTE;
export const MAX_FILES = 500;
/** Of a folder's files that are opened: most that are no text are found out by that alone. */
export const MAX_OPENED = 2_000;
/** Below a folder that was named. */
export const MAX_DEPTH = 20;
/** Names that are looked at in one folder and below it. */
export const MAX_ENTRIES = 20_000;
export const MAX_PATH_CHARS = 4_096;

/** Of one diff, and of all files together that git does not know yet. */
export const MAX_DIFF_BYTES = 5 * MEGABYTE;
export const MAX_CHANGED_FILES = 5_000;
