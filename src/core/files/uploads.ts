import type { AskContext, AskReport } from '../llm/ask.ts';
import type { TokenUsage } from '../llm/chat.ts';
import type { FileToUpload, ProviderContext, ProviderId } from '../llm/provider.ts';
import type { Notice } from '../messages/notices.ts';

/** A content to upload, and the principal that uploads it. */
export interface UploadRequest extends FileToUpload {
  readonly provider: ProviderId;
  readonly sha256: string;
  readonly principal: string;
}

export interface UploadContext extends ProviderContext {
  /** Called as bytes are sent. */
  onSent?(bytes: number): void;
}

/** A file at a provider. */
export interface FileAtProvider {
  readonly fileId: string;
  readonly sha256: string;
  /** `pending`: the provider has not processed it yet. */
  readonly state: 'ready' | 'pending';
  /** Whether it was there already, so that nothing was sent. */
  readonly isCached: boolean;
  readonly notices: readonly Notice[];
}

export interface ExtractedFile extends FileAtProvider {
  readonly text: string;
}

/** The text that a provider recognised. */
export interface RecognisedText {
  readonly text: string;
  readonly isCached: boolean;
  readonly notices: readonly Notice[];
  /** Absent where it is free or cached. */
  readonly used?: { readonly model: string; readonly usage: TokenUsage };
}

/** A file at a provider, as its owner sees it. */
export interface ListedUpload {
  readonly fileId: string;
  readonly name: string;
  readonly bytes: number;
  readonly purpose: string;
  readonly createdAtMs: number;
  /** Absent for a file that was not uploaded by EX-AI. */
  readonly sha256?: string;
  /** The principals that uploaded it; only for the owner of the account. */
  readonly principals?: readonly string[];
}

/** Whose files of a provider are meant. The owner of the account may see and delete all of them. */
export interface UploadOwner {
  readonly provider: ProviderId;
  readonly principal: string;
  readonly scope: 'own' | 'account';
}

/**
 * Uploads to providers, cached by content, provider, account and purpose, across restarts. Equal
 * contents are uploaded once, also at the same time. Errors are those of the provider.
 */
export interface Uploads {
  /** Uploads a file unless the provider has it; one that the provider forgot is uploaded again. */
  upload(request: UploadRequest, context: UploadContext): Promise<FileAtProvider>;
  /**
   * The text that the provider extracts. `id`: its file is verified as well; `text`: a text that is
   * known is enough. A content that the provider could not extract is not sent again for some hours,
   * unless it is a `new_try`, which is otherwise like `id`.
   */
  extract(
    request: Omit<UploadRequest, 'purpose'>,
    needs: 'id' | 'text' | 'new_try',
    context: UploadContext,
  ): Promise<ExtractedFile>;
  /** The text that the provider recognises in scanned pages; nothing stays at the provider. */
  recognise(
    request: Omit<UploadRequest, 'purpose'>,
    context: UploadContext,
  ): Promise<RecognisedText>;
  /** The text of a file that the principal has uploaded; `not_found` for any other. */
  textOf(
    fileId: string,
    owner: UploadOwner,
    context: UploadContext,
  ): Promise<{ readonly name: string; readonly text: string }>;
  list(owner: UploadOwner, context: UploadContext): Promise<readonly ListedUpload[]>;
  /** Some of the uploads that their principals have not used since a time; asks no provider. */
  unused(
    provider: ProviderId,
    beforeMs: number,
  ): Promise<readonly { readonly fileId: string; readonly principal: string }[]>;
  /**
   * Deletes a file, at the provider if no other principal uses it. Where the provider fails, the file
   * stays known.
   */
  delete(
    fileId: string,
    owner: UploadOwner,
    context: UploadContext,
  ): Promise<'deleted' | 'absent' | 'shared'>;
  /** The text that one of the providers has extracted or recognised before; asks none of them. */
  knownText(
    sha256: string,
    providers: readonly ProviderId[],
  ): Promise<{ readonly text: string; readonly provider: ProviderId } | undefined>;
}

/**
 * Runs requests about files for tools, as an attempt: through the breaker of the provider's files,
 * with one retry where that is safe, and with breadcrumbs and records.
 */
export interface UploadExchanges {
  /** Rejects with the provider's error. Without any request to the provider there is no attempt. */
  run<T>(
    provider: ProviderId,
    by: AskContext,
    work: (uploads: Uploads, context: UploadContext) => Promise<T>,
  ): Promise<{ readonly result: T; readonly report: AskReport }>;
}
