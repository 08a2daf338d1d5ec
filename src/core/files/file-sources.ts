import type { Notice } from '../messages/notices.ts';
import type { InputRequired } from '../tools/input-request.ts';
import type { FileInput } from './file-input.ts';
import type { IntakeContext } from './file-intake.ts';

/** A file whose passages are indexed. */
export interface FileSource {
  /** The absolute path, or the URI of a stored file. */
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Absent if the content is known. */
  readonly content?: {
    readonly text: string;
    /** `document`: with marks of pages, slides, sheets or sections. */
    readonly is: 'document' | 'lines';
  };
}

/** Files that are read one after the other, as they are taken. */
export interface FileSources {
  readonly total: number;
  readonly files: AsyncIterable<FileSource>;
  /** What a conversation keeps of the new files. */
  readonly kept: readonly string[];
  /** What was left out and noticed so far. */
  readonly notices: () => readonly Notice[];
}

/** Opens files in all their forms; one is in memory at a time. */
export type OpenFileSources = (
  inputs: readonly FileInput[],
  options: {
    readonly field: string;
    readonly earlier: readonly string[];
    /** What becomes of a named file that cannot be read; default: it fails the call. */
    readonly unreadable?: 'notice';
    /** Whether the content of a source is known, so that it is not read as text. */
    readonly isKnown: (source: string, sha256: string) => Promise<boolean>;
  },
  context: IntakeContext,
) => Promise<FileSources | InputRequired>;
