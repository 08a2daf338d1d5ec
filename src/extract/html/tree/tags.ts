/** What each HTML element means for the tree and for the text. */

const flag = (bit: number): number => 1 << bit;

/** Starts and ends a block of text. */
export const BLOCK = flag(0);
/** Has no content and no end tag. */
export const VOID = flag(1);
/** Its text is not text of the page. */
export const SKIPPED = flag(2);
/** Ends the search for the start tag of a misplaced end tag (HTML: the "special" elements). */
export const SPECIAL = flag(3);
/** Ends the search also for special elements (HTML: "has an element in scope"). */
export const SCOPE = flag(4);
/** A control of a form: text in it is a label of the interface. */
export const CONTROL = flag(5);

const TABLE: Record<string, number> = {};

function define(names: string, flags: number): void {
  for (const name of names.split(' ')) TABLE[name] = (TABLE[name] ?? 0) | flags;
}

define(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre ' +
    'search section summary table tbody td tfoot th thead tr ul xmp caption colgroup noscript',
  BLOCK | SPECIAL,
);
define('html table td th caption template object marquee', SCOPE | SPECIAL);
define(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
  VOID,
);
define(
  'script style template svg annotation annotation-xml iframe object embed applet canvas audio video map area noembed noframes head title ' +
    'link meta base datalist rp input textarea select option optgroup frame param source track',
  SKIPPED,
);
define('button input select textarea option optgroup label legend fieldset form', CONTROL);

/** The flags of an element; an unknown element is inline text. */
export function tagFlags(name: string): number {
  return Object.hasOwn(TABLE, name) ? (TABLE[name] as number) : 0;
}

/** Elements whose start tag ends the open elements named, when they are the current element. */
export const IMPLIES_END: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    tr: 'tr th td',
    th: 'th td',
    td: 'th td',
    tbody: 'thead tbody tr td th',
    tfoot: 'thead tbody tr td th',
    thead: 'tbody tr td th',
    li: 'li p',
    dd: 'dd dt p',
    dt: 'dd dt p',
    option: 'option',
    optgroup: 'optgroup option',
    rt: 'rt rp',
    rp: 'rt rp',
    a: 'a',
    body: 'head',
  }).map(([name, ends]) => [name, new Set(ends.split(' '))]),
);

/** Blocks that may not be inside a paragraph. */
const IN_PARAGRAPH = new Set(['td', 'th', 'tr', 'caption', 'noscript', 'option', 'optgroup']);

export function endsParagraph(name: string, flags: number): boolean {
  return (flags & BLOCK) !== 0 && !IN_PARAGRAPH.has(name);
}
