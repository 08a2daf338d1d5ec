import type { ProviderId } from '#core/llm/provider.ts';
import type { Catalogue, Model } from './model.ts';
import type { Overlay } from './overlay.ts';

/** A model with additional facts for display. */
export interface ListedModel extends Model {
  /** Day its data was last verified. */
  readonly asOf: string;
  /** Why it was retired, if the day is unknown. */
  readonly reason?: string;
  /**
   * `built_in`: from our catalogue; `listed`: known only from its provider's listing, other
   * properties are assumed.
   */
  readonly origin: 'built_in' | 'listed';
  /** First day it was missing from its provider's listing. It may still work. */
  readonly missingSince?: string;
  /** Remark for the user. */
  readonly note?: string;
}

/** The catalogue including the providers' listings. */
export interface ModelCatalogue extends Catalogue {
  readonly models: readonly ListedModel[];
  readonly overlay: Overlay;
  find(id: string, provider?: ProviderId): ListedModel | undefined;
}
