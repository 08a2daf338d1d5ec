import type { ProviderId } from '#core/provider.ts';
import type { Catalogue, Model } from './model.ts';
import type { Overlay } from './overlay.ts';

/** A model with what is to be said about it beyond what decisions read. */
export interface ListedModel extends Model {
  /** The day its figures were last looked at. */
  readonly asOf: string;
  /** Why a retired one is, where no day is known. */
  readonly reason?: string;
  /** `built_in`: of our own data; `listed`: only its provider's list tells of it, and the rest is assumed. */
  readonly origin: 'built_in' | 'listed';
  /** The day from which its provider's list has not had it. It may work all the same. */
  readonly missingSince?: string;
  /** For people: what is unusual about it now. */
  readonly note?: string;
}

/** The catalogue with what providers' lists added to it. */
export interface ModelCatalogue extends Catalogue {
  readonly models: readonly ListedModel[];
  readonly overlay: Overlay;
  find(id: string, provider?: ProviderId): ListedModel | undefined;
}
