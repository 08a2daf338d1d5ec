import { parseLoose, type SchemaObject } from './metadata/json-ld.ts';
import { textOf, type Tree } from './tree/node.ts';

/** Text that the page carries as data, for pages that show none without scripts. */
export interface EmbeddedText {
  /** HTML or text, to be read like a page. */
  readonly html: string;
  readonly words: number;
}

const MIN_CHARS = 80;
const MAX_VALUES = 200_000;

/** The best of: `articleBody` of schema.org, and the long texts of the embedded state. */
export function readEmbedded(
  tree: Tree,
  jsonLd: readonly SchemaObject[],
): EmbeddedText | undefined {
  const bodies = jsonLd
    .flatMap((object) => [object['articleBody'], object['text'], object['reviewBody']])
    .filter((text) => typeof text === 'string')
    .filter((text) => text.length >= MIN_CHARS);
  const described = toHtml(bodies);
  if (described !== undefined && described.words >= 100) return described;
  const texts: string[] = [];
  for (const script of tree.head) {
    if (script.name !== 'script' || script.children.length === 0) continue;
    if (/ld\+json/i.test(script.get('type') ?? '')) continue;
    const state = parseLoose(textOf(script));
    if (state !== undefined) collectTexts(state, texts);
  }
  return toHtml(texts) ?? described;
}

/** Long texts in the order of the state; iterative, since state is nested at will. */
function collectTexts(state: unknown, texts: string[]): void {
  const open: unknown[] = [state];
  const seen = new Set<string>();
  for (let visited = 0; open.length > 0 && visited < MAX_VALUES; visited++) {
    const value = open.pop();
    if (typeof value === 'string') {
      if (isProse(value) && !seen.has(value)) {
        seen.add(value);
        texts.push(value);
      }
    } else if (typeof value === 'object' && value !== null) {
      const values = Object.values(value);
      for (let i = values.length - 1; i >= 0; i--) open.push(values[i]);
    }
  }
}

/** Sentences, or markup with text in it; not code, addresses, styles or data. */
function isProse(text: string): boolean {
  if (text.length < MIN_CHARS) return false;
  const start = text.slice(0, 2000).trim();
  if (/^(?:https?:|data:|[{[#.@]|\/)/.test(start) || /[{};]\s*[\w-]+\s*:/.test(start)) return false;
  if (/<(?:p|div|li|h[1-6]|article|section|br)\b/i.test(start)) return true;
  const isSpaced = (start.match(/\s/g) ?? []).length * 12 > start.length;
  const isUnspaced = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(start);
  return (isSpaced || isUnspaced) && /[.!?。！？।؟]/.test(start);
}

function toHtml(texts: readonly string[]): EmbeddedText | undefined {
  if (texts.length === 0) return undefined;
  const html = texts
    .map((text) => (/<[a-z][^<>]*>/i.test(text) ? `<div>${text}</div>` : paragraphs(text)))
    .join('\n');
  return { html, words: html.split(/\s+/).length };
}

function paragraphs(text: string): string {
  return text
    .split(/\n{2,}|(?<=[^\n])\n(?=[^\n])/)
    .map((part) => `<p>${part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`)
    .join('\n');
}
