import { hidingOf, isSecretParameter, MASK, type Hiding } from '#core/secret-names.ts';
import { formField, yamlBlock, type Span } from './value-below.ts';
import { bareEnd, isQuery, quotedEnd } from './value-end.ts';

// A name, then `=`, `:` or `=>` as code, JSON (also inside JSON), URLs and headers write it, up to where the value
// begins. Each level of JSON inside JSON doubles the backslashes and adds one. What a percent code leaves before a
// name (`%3Ftoken`) is not part of it.
const QUOTE = String.raw`\\{0,63}(?:["'\x60]|%22|&quot;)`;
const ASSIGNMENT = new RegExp(
  String.raw`(?<![A-Za-z0-9_.-])(?:(?<=%)[0-9a-f]{2})?([A-Za-z0-9_.-]+)(?:${QUOTE})?\]?[ \t]{0,20}(?:[:=]{1,3}>?|%3[ad])[ \t]{0,20}(${QUOTE})?`,
  'gi',
);
const SIGN = /[:=]|%3[ad]/i;

const HARMLESS = /^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false|null|undefined|none)$/i;
// `Bearer <EXAI_TOKEN>` tells people what to write there.
const PLACEHOLDER =
  /^(?:(?:bearer|basic|token)[ \t]{1,4})?<(?:[a-z]{1,20}[_ -]){0,4}(?:token|key|secret|password)>[.,;]?$/i;

// `"name": "password", "value": "…"`: what is named and its value, each an assignment of its own.
const PAIR_NAME = /^(?:name|key|header)$/i;
const PAIR_VALUE = /^(?:values?|val)$/i;
const WORD = /[\w.-]{1,256}/y;
const BETWEEN_PAIR = /^[\s\\"'`,;&]{0,200}$/;

/** What the last `name=…` named. */
interface Named {
  readonly hiding: Hiding;
  readonly end: number;
}

/** Hides the value in `API_KEY=…`, `"apiKey": "…"`, `?token=…` and `Cookie: …`, wherever they stand in a text. */
export function maskAssignments(text: string): string {
  if (!SIGN.test(text)) return text;
  let masked = '';
  let done = 0;
  let named: Named = { hiding: 'nothing', end: 0 };

  const hide = ({ start, end }: Span, hiding: Hiding) => {
    if (isHarmless(text.slice(start, end), hiding)) return;
    masked += text.slice(done, start) + MASK;
    done = ASSIGNMENT.lastIndex = end;
  };

  ASSIGNMENT.lastIndex = 0;
  for (let found = ASSIGNMENT.exec(text); found; found = ASSIGNMENT.exec(text)) {
    const [, name = '', quote = ''] = found;
    const start = ASSIGNMENT.lastIndex;
    const before = text[found.index - 1] ?? '';
    // What follows the sign may be a name in turn, as in `a=token=x`.
    ASSIGNMENT.lastIndex = start - quote.length;
    const isPaired = PAIR_VALUE.test(name) && isNextTo(named, found.index, text);
    const hiding = isPaired ? named.hiding : hidingIn(before, name);
    if (hiding !== 'nothing') {
      hide(valueAt(text, start, quote, { name, before, hiding }), hiding);
    } else if (PAIR_NAME.test(name)) {
      named = namedAt(text, start);
      const field = named.hiding === 'nothing' ? undefined : formField(text, named.end);
      if (field) hide(field, named.hiding);
    }
  }
  return done === 0 ? text : masked + text.slice(done);
}

function valueAt(
  text: string,
  start: number,
  quote: string,
  bare: Parameters<typeof bareEnd>[2],
): Span {
  if (quote !== '') return { start, end: quotedEnd(text, start, quote) };
  return yamlBlock(text, start) ?? { start, end: bareEnd(text, start, bare) };
}

function namedAt(text: string, start: number): Named {
  WORD.lastIndex = start;
  const word = WORD.exec(text)?.[0] ?? '';
  return { hiding: hidingOf(word), end: start + word.length };
}

function isNextTo({ hiding, end }: Named, at: number, text: string): boolean {
  return hiding !== 'nothing' && at - end < 200 && BETWEEN_PAIR.test(text.slice(end, at));
}

function hidingIn(before: string, name: string): Hiding {
  const hiding = hidingOf(name);
  return hiding === 'nothing' && isQuery(before) && isSecretParameter(name) ? 'texts' : hiding;
}

function isHarmless(value: string, hiding: Hiding): boolean {
  if (value === '' || value === MASK || value === MASK.slice(0, -1)) return true;
  return PLACEHOLDER.test(value) || (hiding === 'texts' && HARMLESS.test(value));
}
