declare const EXAI_VERSION: string | undefined;

/**
 * The version of package.json, inserted by scripts/build.mjs; unbuilt sources have a placeholder.
 */
export const VERSION = typeof EXAI_VERSION === 'undefined' ? '0.0.0-source' : EXAI_VERSION;
