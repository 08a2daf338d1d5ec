import type { ProviderId } from '#core/llm/provider.ts';

/** Which provider a server is, and the settings that messages about it name. */
export interface ServerIdentity {
  readonly provider: ProviderId;
  /** The title of the provider. */
  readonly title: string;
  /** What sentences call the server where its kind is unknown. */
  readonly subject: string;
  readonly settings: { readonly url: string; readonly key: string; readonly model: string };
}

/** The server of `providers.custom`. */
export const CUSTOM_IDENTITY: ServerIdentity = {
  provider: 'custom',
  title: 'Custom server',
  subject: 'The custom server',
  settings: { url: 'CUSTOM_API_URL', key: 'CUSTOM_API_KEY', model: 'CUSTOM_MODEL' },
};
