import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { hasDocumentText } from '#core/extract/document-text.ts';
import type { Uploads } from '#core/files/uploads.ts';
import { isAboutFile } from '#core/llm/file-failure.ts';
import {
  isScan,
  type AskDocumentText,
  type FileSupply,
  type SuppliedText,
  type SupplyContext,
} from '#core/llm/file-supply.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { descriptorOf } from '#core/providers/list.ts';

export interface FileSupplyDeps {
  readonly uploads: Pick<Uploads, 'extract' | 'recognise' | 'knownText'>;
  readonly providers: ReadonlyMap<ProviderId, Provider>;
}

/** Supplies documents by uploads and text recognition, and by their local text otherwise. */
export function createFileSupply({ uploads, providers }: FileSupplyDeps): FileSupply {
  const toFile = (file: AskDocumentText, provider: ProviderId, principal: string) => ({
    name: file.name,
    mediaType: file.document.mediaType,
    size: file.document.size,
    sha256: file.document.sha256,
    bytes: () => file.document.bytes(),
    provider,
    principal,
  });

  async function upload(
    file: AskDocumentText,
    provider: ProviderId,
    context: SupplyContext,
  ): Promise<SuppliedText> {
    try {
      const wanted = toFile(file, provider, context.principal);
      const { text, notices } = await uploads.extract(wanted, 'text', context);
      return { text, provider, notices };
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (!isAboutFile(error)) throw error;
      if (isUnreadScan(file)) throw withoutText(file, provider, error);
      return { text: file.text, notices: [usesLocalText(file, provider, error)] };
    }
  }

  async function recognise(
    file: AskDocumentText,
    candidates: readonly ProviderId[],
    context: SupplyContext,
  ): Promise<SuppliedText> {
    const { asked } = context;
    const readBy = (provider: ProviderId): readonly Notice[] =>
      provider === asked
        ? []
        : [notice('scan_read_by', { file: file.name, provider: descriptorOf(provider).title })];
    const known = await uploads.knownText(file.document.sha256, candidates);
    if (known) return { ...known, notices: readBy(known.provider) };
    let failure: CallError | undefined;
    for (const provider of candidates) {
      try {
        const wanted = toFile(file, provider, context.principal);
        const { text, notices, used } = await uploads.recognise(wanted, context);
        return {
          text,
          provider,
          notices: [...notices, ...readBy(provider)],
          ...(used && { used: { ...used, provider } }),
        };
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (context.signal.aborted) throw error;
        if (provider === asked && !isAboutFile(error) && candidates.length === 1) throw error;
        // A provider that failed may read it later, so that its failure comes first.
        if (!failure || (isAboutFile(failure) && !isAboutFile(error))) failure = error;
      }
    }
    if (isUnreadScan(file)) throw withoutText(file, asked, failure);
    return { text: file.text, notices: [unread(file, failure)] };
  }

  return {
    route(file, asked, allowed) {
      const { document } = file;
      const isPlain = document.mediaType.startsWith('text/plain');
      if (isPlain || !allowed.includes(asked)) return { by: 'local' };
      const limits = descriptorOf(asked).uploads;
      const isExtracted = limits?.documents === 'extracted' && document.size <= limits.maxBytes;
      if (isExtracted && can(providers.get(asked), 'upload'))
        return { by: 'upload', provider: asked };
      if (!isScan(file)) return { by: 'local' };
      const ordered = [asked, ...allowed.filter((each) => each !== asked)];
      const [first, ...others] = ordered.filter((id) => can(providers.get(id), 'ocr'));
      return first === undefined ? { by: 'local' } : { by: 'ocr', providers: [first, ...others] };
    },
    async supply(file, route, context) {
      switch (route.by) {
        case 'local':
          return { text: file.text, notices: isScan(file) ? [unread(file)] : [] };
        case 'upload':
          return upload(file, route.provider, context);
        case 'ocr':
          return recognise(file, route.providers, context);
      }
    },
  };
}

/** A document that has to be recognised, as no text of it was extracted on this machine. */
function isUnreadScan(file: AskDocumentText): boolean {
  return isScan(file) && !hasDocumentText(file.text);
}

function can(provider: Provider | undefined, ability: 'upload' | 'ocr'): boolean {
  return provider?.capabilities.includes(ability) === true;
}

function unread({ name, document }: AskDocumentText, error?: CallError): Notice {
  return notice('scan_not_read', {
    file: name,
    pages: document.scannedPages,
    ...(error && { error: errorText(error) }),
  });
}

/** Why the local text is used instead of the provider's. */
function usesLocalText({ name }: AskDocumentText, id: ProviderId, error: CallError): Notice {
  const { title: provider } = descriptorOf(id);
  const why = error.reason;
  if (why?.code === 'vendor_calls_used_up')
    return notice('uploads_limited', { provider, max: why.params.max });
  if (why?.code === 'refused_before') return notice('not_uploaded_again', { file: name, provider });
  return notice('local_text_used', { file: name, provider, error: errorText(error) });
}

/** A document that nothing could read: another provider may. */
function withoutText(file: AskDocumentText, provider: ProviderId, cause?: CallError): CallError {
  const why = reason('document_without_text', {
    file: file.name,
    ...(cause && { message: cause.message }),
  });
  return codedError('provider_error', why, {
    provider,
    retry: 'never',
    dueTo: 'request',
    fix: 'Send a document with a text layer, or set up a provider that recognises text.',
    cause,
  });
}
