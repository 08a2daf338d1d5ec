/** The documents with their facts, in the folder beside the repository, where it is present. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface DocumentCase {
  readonly id: string;
  readonly file: string;
  readonly hostile: boolean;
  readonly password?: string;
  readonly outcome?: string;
}

/** What the scorer reads of one document. */
export interface CaseOutput {
  readonly text?: string;
  readonly pages?: number;
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly needs_ocr?: boolean;
  readonly with_password?: string;
  readonly timeout?: boolean;
  readonly crash?: boolean;
  readonly ms?: number;
  readonly rss_mb?: number;
}

const FOLDER = resolve('../shared/documents');

export const SCORER = resolve(FOLDER, 'score-documents.mjs');

export const hasDocuments = (): boolean => existsSync(resolve(FOLDER, 'manifest.json'));

export function readCases(): readonly DocumentCase[] {
  const text = readFileSync(resolve(FOLDER, 'manifest.json'), 'utf8');
  return (JSON.parse(text) as { documents: readonly DocumentCase[] }).documents;
}

export function pathOf({ file }: DocumentCase): string {
  return resolve(FOLDER, file);
}
