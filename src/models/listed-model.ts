import type { ProviderId, ProviderModel } from '#core/llm/provider.ts';
import type { AddedProviderId } from '#core/providers/added.ts';
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
  /** Only its name is known; its properties are assumed. */
  readonly isAssumed?: true;
  /** First day it was missing from its provider's listing. It may still work. */
  readonly missingSince?: string;
  /** Remark for the user. */
  readonly note?: string;
}

/** A provider that the user has added, with the models that the settings or its preset name. */
export interface AddedModels {
  readonly provider: AddedProviderId;
  readonly models: readonly ProviderModel[];
  /** Whether its server can be asked for its only model without a name. */
  readonly unnamed: 'only_model' | 'none';
}

/** The catalogue including the providers' listings. */
export interface ModelCatalogue extends Catalogue {
  readonly models: readonly ListedModel[];
  readonly overlay: Overlay;
  readonly added: readonly AddedModels[];
  /** The same built-in and added models with other listings. */
  withOverlay(overlay: Overlay): ModelCatalogue;
  find(id: string, provider?: ProviderId): ListedModel | undefined;
}
