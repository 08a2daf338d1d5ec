import type { Secret } from '#core/secret.ts';

export interface KimiSettings {
  /** Such as `https://api.moonshot.ai/v1`; a proxy in front of it, such as MoonPalace, is one as well. */
  readonly baseUrl: string;
  readonly key: Secret;
}
