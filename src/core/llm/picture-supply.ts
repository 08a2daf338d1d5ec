import type { Notice } from '../messages/notices.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { ChatMessage } from './chat.ts';
import type { ProviderId } from './provider.ts';

/** Types that are scaled and converted. */
export const SCALABLE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/jpg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/tiff',
]);

export interface SuppliedPictures {
  readonly messages: readonly ChatMessage[];
  readonly notices: readonly Notice[];
}

export interface PictureContext {
  readonly signal: AbortSignalLike;
  /** The argument that has the pictures; default: the place in the messages. */
  readonly field?: string;
}

/** Fits pictures to the limits of a provider. */
export interface PictureSupply {
  /** `missing`: pictures cannot be scaled here. */
  scaling(): Promise<'ready' | 'missing'>;
  /**
   * The messages with pictures that the provider takes. Throws an error that names the picture and
   * the limit that it exceeds.
   */
  fit(
    messages: readonly ChatMessage[],
    provider: ProviderId,
    context: PictureContext,
  ): Promise<SuppliedPictures>;
}
