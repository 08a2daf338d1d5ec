import type { AskText } from '#core/ask.ts';
import { materialName } from '#core/material-name.ts';

/** As callers give them: paths, and texts under names of their own. */
export interface GivenFiles {
  readonly paths: readonly string[];
  readonly texts: readonly AskText[];
}

export function givenFiles(files: readonly (string | AskText)[] = []): GivenFiles {
  return {
    paths: files.filter((each) => typeof each === 'string'),
    texts: files.flatMap((each) =>
      typeof each === 'string' ? [] : [{ ...each, name: materialName(each.name) }],
    ),
  };
}

const UNREAD =
  '(This file is only named here and was not read: its text stands in this place when the question is asked.)';

/** A file that was named and that nobody has read yet. */
export function unread(path: string): AskText {
  return { name: path, text: UNREAD };
}

export function isUnread({ text }: AskText): boolean {
  return text === UNREAD;
}
