declare const EXAI_VERSION: string | undefined;

/** Of package.json, written in by scripts/build.mjs; sources run without a build say so. */
export const VERSION = typeof EXAI_VERSION === 'undefined' ? '0.0.0-source' : EXAI_VERSION;
