import type { ChatMessage } from '#core/llm/chat.ts';
import { GATEWAY_OPERATIONS } from '#core/llm/gateway.ts';
import type { PictureSupply, SuppliedPictures } from '#core/llm/picture-supply.ts';
import type { AskState } from '../ask-state.ts';
import type { PlannedModel } from '../route/plan.ts';

/** The messages with the pictures that the provider of a candidate takes. */
export async function fitPictures(
  messages: readonly ChatMessage[],
  { provider, isLastResort }: Pick<PlannedModel, 'provider' | 'isLastResort'>,
  { facts, by }: Pick<AskState, 'facts' | 'by'>,
  { pictureSupply }: { readonly pictureSupply?: PictureSupply },
): Promise<SuppliedPictures> {
  if (!pictureSupply || isLastResort || facts.images === 0) return { messages, notices: [] };
  // Tools have one argument for all pictures.
  const field = by.tool === GATEWAY_OPERATIONS.chat ? {} : { field: 'images' };
  return pictureSupply.fit(messages, provider, { signal: by.signal, ...field });
}
