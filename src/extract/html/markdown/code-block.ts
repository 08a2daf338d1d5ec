import { shownText } from './inline.ts';
import type { ElementNode } from '../tree/node.ts';
import { ElementNode as Element } from '../tree/node.ts';

/** A code block with its text unchanged, in a fence that its text does not contain. */
export function codeBlock(pre: ElementNode): string {
  const text = codeText(pre);
  let fence = '```';
  for (const run of text.match(/`{3,}/g) ?? [])
    if (run.length >= fence.length) fence = '`'.repeat(run.length + 1);
  return `${fence}${languageOf(pre)}\n${text}\n${fence}`;
}

/** HTML drops the first line break of <pre>; the last one ends the last line. */
export function codeText(pre: ElementNode): string {
  return shownText(pre).replace(/^\n/, '').replace(/\n$/, '');
}

const NAMED =
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|brush|prettyprint lang|sourceCode)[-:]\s*([\w+#.-]+)/i;
const SOURCE_CODE = /(?:^|\s)sourceCode\s+([\w+#-]+)/;
const NO_LANGUAGE = /^(?:none|plain|plaintext|text|default|auto|nohighlight|source|no-?bg)$/i;

/** From the classes and attributes of the element, its code, or the elements around it. */
function languageOf(pre: ElementNode): string {
  const code = pre.children.find(
    (child): child is ElementNode => child instanceof Element && child.name === 'code',
  );
  for (const element of [code, pre, pre.parent, pre.parent?.parent]) {
    if (element === undefined) continue;
    const classes = element.get('class') ?? '';
    const name =
      element.get('data-lang') ??
      element.get('data-language') ??
      element.get('language') ??
      NAMED.exec(classes)?.[1] ??
      SOURCE_CODE.exec(classes)?.[1];
    if (name !== undefined && /^[\w+#.-]{1,30}$/.test(name))
      return NO_LANGUAGE.test(name) ? '' : name.toLowerCase();
  }
  return '';
}
