import type { ElementNode } from '../tree/node.ts';

const HIDING_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$))/i;
const OFF_SCREEN = /(?:left|top|text-indent)\s*:\s*-\d{4,}/i;

/**
 * Whether a browser shows nothing of the element: `hidden`, or an inline style that hides. Text for
 * no reader is often text for models, so it is never extracted.
 */
export function isHiddenElement(element: ElementNode): boolean {
  const { attributes } = element;
  if (attributes === undefined) return false;
  // A tab that is not selected: its reader selects it.
  if (element.get('role') === 'tabpanel') return false;
  for (let i = 0; i < attributes.length; i += 2) {
    const name = attributes[i];
    const value = attributes[i + 1] as string;
    if (name === 'hidden') {
      // `until-found` is shown by a search in the page.
      if (value !== 'until-found' && !isStreamed(element)) return true;
    } else if (name === 'style') {
      if (HIDING_STYLE.test(value) || OFF_SCREEN.test(value)) return true;
    } else if (name === 'aria-hidden') {
      // Around blocks it is set while a dialog is open; on inline text it marks decoration.
      if (value === 'true' && !element.hasBlock) return true;
    }
  }
  return false;
}

/** React sends parts of a page hidden, as `<div hidden id="S:1">`, and shows them when they are there. */
function isStreamed(element: ElementNode): boolean {
  return /^S:[0-9a-f]+$/.test(element.get('id') ?? '');
}
