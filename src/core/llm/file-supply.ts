import type { Notice } from '../messages/notices.ts';
import type { AskDocument, AskText } from './ask.ts';
import type { TokenUsage } from './chat.ts';
import type { ProviderContext, ProviderId } from './provider.ts';

/** A text of the request that was extracted from a document. */
export type AskDocumentText = AskText & { readonly document: AskDocument };

/** How the text of a document reaches a provider. */
export type SupplyRoute =
  /** The text that was extracted on this machine: nothing is sent. */
  | { readonly by: 'local' }
  /** The document is uploaded to the provider that is asked, which extracts its text. */
  | { readonly by: 'upload'; readonly provider: ProviderId }
  /** Providers that recognise the text of scanned pages (OCR), best first. */
  | { readonly by: 'ocr'; readonly providers: readonly [ProviderId, ...ProviderId[]] };

export interface SuppliedText {
  readonly text: string;
  /** The provider that extracted the text; absent for the local text. */
  readonly provider?: ProviderId;
  readonly notices: readonly Notice[];
  /** What recognising it has used; absent where that is free, or was paid for earlier. */
  readonly used?: {
    readonly provider: ProviderId;
    readonly model: string;
    readonly usage: TokenUsage;
  };
}

export interface SupplyContext extends ProviderContext {
  readonly principal: string;
  /** The provider that is asked about the document. */
  readonly asked: ProviderId;
}

/**
 * The texts of documents, for one provider: what the provider extracts from an upload, or what was
 * extracted locally. Results are cached by content, across restarts.
 */
export interface FileSupply {
  /**
   * How a document would reach a provider; sends nothing. `allowed` are the providers that the
   * request may reach at all, in the order of the plan: no other one is sent the document.
   */
  route(file: AskDocumentText, asked: ProviderId, allowed: readonly ProviderId[]): SupplyRoute;
  /**
   * The text of a document. Where only the extraction fails, it is the local text, with a notice.
   * Rejects with the provider's error if the provider itself fails, or if there is no text at all.
   */
  supply(file: AskDocumentText, route: SupplyRoute, context: SupplyContext): Promise<SuppliedText>;
}

/** Whether only text recognition can read some of a document. */
export function isScan({ text, document }: AskDocumentText): boolean {
  return document.scannedPages > 0 || text.trim() === '' || document.mediaType.startsWith('image/');
}

/**
 * A text that no provider is sent the document of, unless it is a scan, which has to be recognised.
 */
export function asLocalText(file: AskText): AskText {
  if (!isDocumentText(file) || isScan(file)) return file;
  const { document: _, ...text } = file;
  return text;
}

export function isDocumentText(file: AskText): file is AskDocumentText {
  return file.document !== undefined;
}
