import type { SentenceTable } from './coded-message.ts';
import type { ErrorText } from './error-text.ts';

/** Notices about documents that are uploaded to providers, or are not. */
export interface UploadNoticeParams {
  /** The first upload of a principal to a provider: what goes where. */
  first_upload: { readonly provider: string };
  /** The first time that scanned pages of a principal are recognised by a provider. */
  first_recognition: { readonly provider: string };
  upload_purpose_changed: {
    readonly provider: string;
    readonly given: string;
    readonly used: string;
  };
  /** The provider could not extract it, so the text that was extracted here is used. */
  local_text_used: {
    readonly file: string;
    readonly provider: string;
    readonly error: ErrorText;
  };
  /** The provider could not extract this content some hours ago, so it was not sent again. */
  not_uploaded_again: { readonly file: string; readonly provider: string };
  /** A question has uploaded as many documents as it may. */
  uploads_limited: { readonly provider: string; readonly max: number };
  /** Pages that nothing has read. */
  scan_not_read: { readonly file: string; readonly pages: number; readonly error?: ErrorText };
  /** A scan was read by another provider than the one that answers. */
  scan_read_by: { readonly file: string; readonly provider: string };
  /** Explanations: what a request would upload. */
  files_to_upload: {
    readonly provider: string;
    readonly files: number;
    readonly megabytes: number;
    readonly as: 'upload' | 'ocr';
  };
}

export const UPLOAD_NOTICE_SENTENCES: SentenceTable<UploadNoticeParams> = {
  first_upload: ({ provider }) =>
    `Documents are uploaded to ${provider}, which extracts their text and keeps them until they are deleted there. Plain text files are not uploaded. List and delete uploads with kimi_manage_files.`,
  first_recognition: ({ provider }) =>
    `Scanned pages are sent to ${provider}, which recognises their text (OCR). Nothing stays there.`,
  upload_purpose_changed: ({ provider, given, used }) =>
    `${provider} has no purpose "${given}"; the file was uploaded for "${used}".`,
  local_text_used: ({ file, provider, error }, render) =>
    `${provider} did not extract the text of ${file}: ${render.message(error)} The text that was extracted on this machine is used.`,
  not_uploaded_again: ({ file, provider }) =>
    `${provider} could not extract the text of ${file} before, so it was not uploaded again. The text that was extracted on this machine is used. To try again, call kimi_upload_and_extract with force: true.`,
  uploads_limited: ({ provider, max }) =>
    `Some documents were not uploaded to ${provider}: of the ${max} requests that a question may make (fallback.maxVendorCalls), half are for uploads. The text that was extracted on this machine is used for them; the next question uploads more.`,
  scan_not_read: ({ file, pages, error }, render) => {
    const what =
      pages === 0
        ? 'no text layer, and was'
        : pages === 1
          ? 'a scanned page, which was'
          : `${pages} scanned pages, which were`;
    const why = error
      ? `: ${render.message(error)}`
      : '; no provider that may be asked recognises text.';
    return `${file} has ${what} not read${why}`;
  },
  scan_read_by: ({ file, provider }) => `The scanned pages of ${file} were read by ${provider}.`,
  files_to_upload: ({ provider, files, megabytes, as }) => {
    const what = `${files === 1 ? 'One document' : `${files} documents`} (${megabytes} MB)`;
    const verb = files === 1 ? 'is' : 'are';
    return as === 'upload'
      ? `${what} ${verb} uploaded to ${provider}, which extracts the text, unless it has done so before.`
      : `${what} ${verb} sent to ${provider}, which recognises the text (OCR), unless it has done so before.`;
  },
};
