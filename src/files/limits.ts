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
/** Of one file that is opened as bytes. */
export const MAX_OPENED_FILE_BYTES = 100 * MEGABYTE;
/** Of all files of one call that are opened as bytes; one is in memory at a time. */
export const MAX_OPENED_ALL_BYTES = 1_000 * MEGABYTE;
export const MAX_OPENED_FILES = 1_000;
/** Of a file that is saved. */
export const MAX_SAVED_BYTES = 1_000 * MEGABYTE;
export const MAX_PATH_CHARS = 4_096;

/** Of one diff, and of all untracked files together. */
export const MAX_DIFF_BYTES = 5 * MEGABYTE;
export const MAX_CHANGED_FILES = 5_000;

/** Folders that tools generate. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'dist']);
/** Of one .gitignore file; a folder with a larger one is left out. */
export const MAX_IGNORE_BYTES = 256_000;
export const MAX_IGNORE_LINES = 4_000;
/**
 * Limit on matching a name against .gitignore rules, which a repository can make costly, in steps
 * (see `IgnoreRules.steps`). A million steps take at most 0.1 ms; a name under the rules of a large
 * project takes half a million.
 */
export const MAX_STEPS_A_NAME = 100_000_000;
/** Cost of parsing a rule, per character, in the same steps. */
export const STEPS_A_RULE_CHAR = 10_000;
/** Of one file that a call contains as content. */
export const MAX_INLINE_BYTES = 24 * MEGABYTE;
/** Of all texts that one call attaches, extracted ones included. */
export const MAX_TEXT_BYTES = 24 * MEGABYTE;
/** Of all pictures and videos that one call attaches. */
export const MAX_MEDIA_BYTES = 48 * MEGABYTE;
/** Of one picture: more would exhaust the memory of the program that decodes it. */
export const MAX_PIXELS = 100 * MEGABYTE;
