/** The revision in which each request says in `_meta` which one it speaks. */
export const MODERN_VERSION = '2026-07-28';

/** Revisions that open with `initialize`, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** Theirs where we speak it, otherwise our newest. */
export function versionFor(asked: unknown): string {
  const isOurs = typeof asked === 'string' && LEGACY_VERSIONS.includes(asked);
  return isOurs ? asked : (LEGACY_VERSIONS[0] ?? '');
}
