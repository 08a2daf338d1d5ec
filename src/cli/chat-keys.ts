/** What comes from a terminal that marks what is pasted. */
export type Typed =
  | { readonly is: 'keys'; readonly text: string }
  | { readonly is: 'paste'; readonly text: string }
  | { readonly is: 'huge paste' };

/** Has a terminal put marks around what is pasted, and stop doing so. */
export const MARK_PASTES = '\u001b[?2004h';
export const LEAVE_PASTES = '\u001b[?2004l';

const BEGIN = '\u001b[200~';
const END = '\u001b[201~';
const CTRL_C = '\u0003';

/** Tells keys from pastes, in whatever pieces they arrive. */
export function createKeySplitter(maxPasteChars: number): (chunk: string) => readonly Typed[] {
  /** What may be the beginning of a mark. */
  let held = '';
  let paste: string | undefined;
  let isHuge = false;

  function endPaste(): Typed {
    const text = paste ?? '';
    const typed: Typed = isHuge ? { is: 'huge paste' } : { is: 'paste', text };
    paste = undefined;
    isHuge = false;
    return typed;
  }

  return (chunk) => {
    // A paste whose end never came would swallow everything; this key, alone, is somebody who wants out.
    if (paste !== undefined && chunk === CTRL_C) {
      paste = undefined;
      isHuge = false;
      held = '';
    }
    const found: Typed[] = [];
    let rest = held + chunk;
    held = '';
    while (rest !== '') {
      const mark = paste === undefined ? BEGIN : END;
      const at = rest.indexOf(mark);
      const whole =
        at === -1 ? rest.slice(0, rest.length - begunMark(rest, mark)) : rest.slice(0, at);
      if (paste !== undefined) {
        isHuge ||= paste.length + whole.length > maxPasteChars;
        paste = isHuge ? '' : paste + whole;
      } else if (whole !== '') found.push({ is: 'keys', text: whole });
      if (at === -1) {
        held = rest.slice(whole.length);
        break;
      }
      if (paste === undefined) paste = '';
      else found.push(endPaste());
      rest = rest.slice(at + mark.length);
    }
    return found;
  };
}

/** How many characters at the end begin a mark. One alone is the key Escape, which waits for nothing. */
function begunMark(text: string, mark: string): number {
  for (let length = mark.length - 1; length > 1; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}
