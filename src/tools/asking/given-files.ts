import type { AskText } from '#core/ask.ts';

/** As callers give them: paths, and texts under names of their own. */
export interface GivenFiles {
  readonly paths: readonly string[];
  readonly texts: readonly AskText[];
}

export function givenFiles(files: readonly (string | AskText)[] = []): GivenFiles {
  return {
    paths: files.filter((each) => typeof each === 'string'),
    texts: files.filter((each) => typeof each !== 'string'),
  };
}

/** A file that was named and that nobody has read yet. */
export function unread(path: string): AskText {
  return { name: path, text: '(The text of this file; it is read when the question is asked.)' };
}
