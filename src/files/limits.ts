const MEGABYTE = 1_000_000;

/** Per file. */
export const MAX_FILE_BYTES = 2 * MEGABYTE;
/** Of all files of one read. */
export const MAX_ALL_BYTES = 20 * MEGABYTE;
export const MAX_FILES = 500;
/** Files opened per folder, because opening alone tells most binary files. */
export const MAX_OPENED = 2_000;
/** Below a named folder. */
export const MAX_FOLDER_DEPTH = 20;
/** Directory entries visited per folder, including subfolders. */
export const MAX_ENTRIES = 20_000;
export const MAX_PATH_CHARS = 4_096;

/** Of one diff, and of all untracked files together. */
export const MAX_DIFF_BYTES = 5 * MEGABYTE;
export const MAX_CHANGED_FILES = 5_000;
