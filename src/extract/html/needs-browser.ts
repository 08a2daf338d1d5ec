import type { BrowserReason } from '#core/extract/extractor.ts';
import type { Tree } from './tree/node.ts';
import type { HeadValues } from './metadata/head-values.ts';

/** Pages below this show next to nothing without a browser; measured on 2,008 pages. */
const FEW_WORDS = 150;
const SCRIPT_SHARE = 0.9;
const SCRIPT_WORDS = 600;

/** Addresses and names of services that check for a browser; the same in every language. */
const CHALLENGE =
  /challenge-platform|cf-chl|cf_chl|captcha-delivery|_Incapsula_|px-captcha|ddos-guard|aws-waf-token/i;

/** Decides by the amount of text; marks of frameworks say nothing about it. */
export function browserReason(
  source: string,
  tree: Tree,
  head: HeadValues,
  words: number,
): BrowserReason | undefined {
  const isPage = tree.head.length > 0;
  // A fragment is what it is.
  if (!isPage) return undefined;
  if (words < FEW_WORDS && CHALLENGE.test(source.slice(0, 200_000))) return 'challenge';
  if (/^\s*\d+\s*;\s*url/i.test(head.meta.get('refresh') ?? '') && words < FEW_WORDS)
    return 'refresh';
  const runsScripts = tree.head.some(
    (element) => element.name === 'script' && !/json/i.test(element.get('type') ?? ''),
  );
  if (!runsScripts) return undefined;
  if (words < FEW_WORDS) return 'few_words';
  const isMostlyScripts = tree.scriptChars > source.length * SCRIPT_SHARE;
  return isMostlyScripts && words < SCRIPT_WORDS ? 'mostly_scripts' : undefined;
}
