import { isObject } from './json-rpc.ts';

/** The revision since which each request names its revision in `_meta`. */
export const MODERN_VERSION = '2026-07-28';

/** Revisions that start with `initialize`, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The revision for `initialize`: the client's if supported, otherwise our newest. */
export function negotiateVersion(requested: unknown): string {
  const isSupported = typeof requested === 'string' && LEGACY_VERSIONS.includes(requested);
  return isSupported ? requested : (LEGACY_VERSIONS[0] ?? '');
}

/** The revision in the answer to `initialize`; undefined if that is an error. */
export function negotiatedVersion(reply: string): string | undefined {
  const message: unknown = JSON.parse(reply);
  const result = isObject(message) ? message['result'] : undefined;
  const version = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}
