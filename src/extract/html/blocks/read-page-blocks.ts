import type { Tree } from '../tree/node.ts';
import { collectBlocks, type PageBlocks } from './collect-blocks.ts';

/** Below this a page shows next to nothing without its scripts. */
const FEW_WORDS = 150;
const MIN_NOSCRIPT_CHARS = 1000;
/** Text for models that is hidden from readers is short; a hidden article is not. */
const MIN_HIDDEN_CHARS = 3000;

/**
 * The blocks of a page as a reader sees them. Some pages show their text only after a script ran:
 * it is then in <noscript>, or hidden until that moment.
 */
export function readPageBlocks(tree: Tree): PageBlocks {
  const shown = collectBlocks(tree, { noscript: 'skip', hiddenFrom: Infinity });
  const plain = shown.chars - shown.linkChars;
  const readsNoscript =
    shown.noscriptChars >= MIN_NOSCRIPT_CHARS &&
    (shown.words < FEW_WORDS || shown.noscriptChars > plain * 3);
  const readsHidden = shown.hiddenChars >= MIN_HIDDEN_CHARS && shown.hiddenChars > plain;
  if (!readsNoscript && !readsHidden) return shown;
  return collectBlocks(tree, {
    noscript: readsNoscript ? 'read' : 'skip',
    hiddenFrom: readsHidden ? Math.max(1000, shown.hiddenChars / 10) : Infinity,
  });
}
