import { CallError } from '../errors/call-error.ts';
import type { ErrorClass } from '../errors/error-class.ts';

/** Errors that say something about one file, not about the provider. */
const OF_FILE: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'bad_request',
  'validation',
  'conflict',
  'too_large',
  'not_found',
  'content_filter',
]);

/** Reasons that say the same, where the class does not. */
const REASONS_OF_FILE: ReadonlySet<string> = new Set([
  'text_not_extracted',
  'refused_before',
  'vendor_calls_used_up',
]);

/** Whether a provider's failure is about one file. Otherwise the provider itself failed. */
export function isAboutFile({ class: errorClass, reason }: CallError): boolean {
  return OF_FILE.has(errorClass) || (reason !== undefined && REASONS_OF_FILE.has(reason.code));
}

/** What a provider said about a document, where the error around it says only that it has no text. */
export function fileFailure(thrown: unknown): CallError {
  const error = CallError.from(thrown);
  const hasCause = error.reason?.code === 'document_without_text' && error.cause !== undefined;
  return hasCause ? CallError.from(error.cause) : error;
}
