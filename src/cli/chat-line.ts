/** What somebody wants who typed this. */
export type ChatLine =
  | { readonly is: 'nothing' }
  | { readonly is: 'message'; readonly text: string }
  | { readonly is: 'command'; readonly name: string; readonly rest: string };

const COMMAND = /^\/(\S*)\s*(.*)$/;

/** A command begins with a slash and has one line; everything longer, such as code that was pasted, is a message as it is. */
export function readChatLine(text: string): ChatLine {
  if (text.trim() === '') return { is: 'nothing' };
  if (text.includes('\n')) return { is: 'message', text };
  if (text.startsWith('//')) return { is: 'message', text: text.slice(1) };
  const [, name, rest = ''] = COMMAND.exec(text) ?? [];
  return name === undefined
    ? { is: 'message', text }
    : { is: 'command', name: name.toLowerCase(), rest: rest.trim() };
}

export interface LinePart {
  readonly text: string;
  /** `open`: the next line belongs to the same message. */
  readonly end: 'open' | 'closed';
}

/** Where one line of a message ends and the next begins, as it is typed. */
export const JOINT = '\\\n';

/** A backslash at the end of a line joins the next one to it; two of them are just two. */
export function linePart(line: string): LinePart {
  const slashes = /\\*$/.exec(line)?.[0].length ?? 0;
  return slashes % 2 === 1
    ? { text: line.slice(0, -1), end: 'open' }
    : { text: line, end: 'closed' };
}
