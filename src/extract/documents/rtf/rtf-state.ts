import type { RtfDestination } from './destinations.ts';
import type { RtfSink } from './rtf-sink.ts';

/** A field: its code, and where its result starts in the text. */
export interface RtfField {
  code: string;
  linkStart: number;
}

/** What holds inside of a group, and is as before after it. */
export interface RtfGroup {
  destination: RtfDestination;
  /** The destination outside of a group that is skipped. */
  outer: RtfDestination;
  sink: RtfSink;
  field: RtfField | undefined;
  /** How many characters after `\u` are for readers without Unicode. */
  fallbackChars: number;
  font: number | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  isStarred: boolean;
  isInTable: boolean;
  style: number;
  list: number;
  listLevel: number;
  outlineLevel: number | undefined;
}

export function resetParagraph(group: RtfGroup): void {
  group.isInTable = false;
  group.style = 0;
  group.list = 0;
  group.listLevel = 0;
  group.outlineLevel = undefined;
}
