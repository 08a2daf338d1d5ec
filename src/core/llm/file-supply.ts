import type { Notice } from '../messages/notices.ts';
import type { AskDocument, AskText } from './ask.ts';
import type { ProviderContext, ProviderId } from './provider.ts';

/** A text of the request that was extracted from a document. */
export type DocumentText = AskText & { readonly document: AskDocument };

export interface SuppliedText {
  readonly text: string;
  /** Whether the provider extracted it (an upload), or it is the local text. */
  readonly by: 'provider' | 'local';
  readonly notices: readonly Notice[];
}

/**
 * The texts of documents, for one provider: what the provider extracts from an upload, or what was
 * extracted locally. Uploads are cached by content; a failed upload is an error of the provider.
 */
export interface FileSupply {
  supply(
    file: DocumentText,
    provider: ProviderId,
    principal: string,
    context: ProviderContext,
  ): Promise<SuppliedText>;
}
