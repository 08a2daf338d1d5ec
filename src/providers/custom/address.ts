import { isUrl } from '#core/is-url.ts';

export interface ServerAddress {
  /** Of the OpenAI-compatible part, without a slash at its end. */
  readonly baseUrl: string;
  /** Where the server's own paths begin. */
  readonly root: string;
}

/** What `CUSTOM_API_URL` means. Most servers answer below `/v1`, so a URL without any path gets it. */
export function addressOf(url: string): ServerAddress {
  const bare = url.trim().replace(/\/+$/, '');
  const hasPath = isUrl(bare) && new URL(bare).pathname !== '/';
  const baseUrl = bare === '' || hasPath ? bare : `${bare}/v1`;
  return { baseUrl, root: baseUrl.replace(/\/v1$/, '') };
}
