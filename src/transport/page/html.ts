/** HTML that needs no more escaping. Only `html` creates it. */
export interface Html {
  readonly markup: string;
}

type Part = Html | readonly Html[] | string | number | undefined;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Characters that show nothing or change the direction of what follows: a hostile name could make
 * its row read differently.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Longer values would push everything else off the page. */
const MAX_CHARS = 300;

/** A template whose values are escaped, except for other templates. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = parts.reduce<string>(
    (made, part, index) => `${made}${toMarkup(part)}${texts[index + 1] ?? ''}`,
    texts[0] ?? '',
  );
  return { markup };
}

function toMarkup(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeText(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

function escapeText(text: string): string {
  const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
  return shown
    .replaceAll(INVISIBLE, '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}
