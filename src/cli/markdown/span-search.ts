/** A part of a block: what has come of it, and where the surrounding span ends. */
interface View {
  readonly text: string;
  readonly bound: number;
  /** Whether nothing follows that could change the result. */
  readonly isFinal: boolean;
}

type Found<Fields> =
  | { readonly is: 'wait' }
  | { readonly is: 'none' }
  | ({ readonly is: 'found' } & Readonly<Fields>);

/** A longer span is shown as it was written, so that an answer is never held back for long. */
const MAX_SPAN_CHARS = 2_000;
const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const WORD = /[\p{L}\p{N}]/u;
const SCHEME = /<(?:https?:\/\/|mailto:)/y;
const WAIT = { is: 'wait' } as const;
const NONE = { is: 'none' } as const;

/**
 * Finds the ends of spans. Searches without success are remembered, so that the cost of a text stays
 * in proportion to its length whatever is in it.
 */
export function createSpanSearch() {
  /** By closing marker: it does not close anything before this position. */
  let searched = new Map<string, number>();

  function run({ text, bound, isFinal }: View, at: number) {
    const char = text[at];
    let end = at;
    while (end < bound && text[end] === char) end += 1;
    return { length: end - at, isCut: end === text.length && !isFinal };
  }

  /** The end of a code span that begins with the run of backticks at `at`. */
  function codeSpan(
    view: View,
    at: number,
  ):
    | { is: 'wait' }
    | { is: 'none'; length: number }
    | { is: 'found'; end: number; marker: number } {
    const { text, bound, isFinal } = view;
    const opening = run(view, at);
    if (opening.isCut) return WAIT;
    const { length } = opening;
    const key = `\`${length}`;
    const limit = Math.min(bound, at + length + MAX_SPAN_CHARS);
    let from = Math.max(at + length, searched.get(key) ?? 0);
    while (from < limit) {
      const next = text.indexOf('`', from);
      if (next === -1 || next >= limit) {
        from = limit;
        break;
      }
      const closing = run(view, next);
      if (closing.isCut) {
        searched.set(key, next);
        return WAIT;
      }
      if (closing.length === length) return { is: 'found', end: next, marker: length };
      from = next + closing.length;
    }
    searched.set(key, from);
    const mayFollow = limit === text.length && !isFinal;
    return mayFollow ? WAIT : { is: 'none', length };
  }

  /** Whether a run of markers can begin emphasis (CommonMark: left-flanking). */
  function canOpen(marker: string, before: string, after: string): boolean {
    if (after === '' || SPACE.test(after)) return false;
    if (marker.startsWith('_') && WORD.test(before)) return false;
    const isBounded = before === '' || SPACE.test(before) || PUNCTUATION.test(before);
    return isBounded || !PUNCTUATION.test(after);
  }

  function canClose(marker: string, before: string, after: string): boolean {
    if (before === '' || SPACE.test(before)) return false;
    return !(marker.startsWith('_') && WORD.test(after));
  }

  /** The end of the emphasis whose opening marker ends at `from`. */
  function closer(view: View, from: number, marker: string): Found<{ end: number }> {
    const { text, bound, isFinal } = view;
    const char = marker.charAt(0);
    const limit = Math.min(bound, from + MAX_SPAN_CHARS);
    let at = Math.max(from, searched.get(marker) ?? 0);
    while (at < limit) {
      const next = text[at] ?? '';
      if (next === '\\') at += 2;
      else if (next === '`') {
        const span = codeSpan(view, at);
        if (span.is === 'wait') break;
        at = span.is === 'none' ? at + span.length : span.end + span.marker;
      } else if (next === char) {
        const { length, isCut } = run(view, at);
        if (isCut) break;
        const before = text[at - 1] ?? '';
        const after = text[at + length] ?? '';
        const isEnd = at > from && canClose(marker, before, after);
        const isExact = length === marker.length;
        const isLonger = length > marker.length && !canOpen(marker, before, after);
        if (isEnd && (isExact || isLonger))
          return { is: 'found', end: at + length - marker.length };
        at += length;
      } else at += 1;
    }
    searched.set(marker, at);
    const mayFollow = limit === text.length && !isFinal;
    return mayFollow || at < limit ? WAIT : NONE;
  }

  /** The parts of `[text](target)`, which begins at `at`. */
  function link(view: View, at: number): Found<{ textEnd: number; end: number }> {
    const { text, bound, isFinal } = view;
    const limit = Math.min(bound, at + MAX_SPAN_CHARS);
    const undecided = limit === text.length && !isFinal ? WAIT : NONE;
    let textEnd = Math.max(at + 1, searched.get('](') ?? 0);
    while (textEnd < limit && text[textEnd] !== ']') {
      if (text[textEnd] === '[') return NONE;
      textEnd += text[textEnd] === '\\' ? 2 : 1;
    }
    if (textEnd >= limit) {
      searched.set('](', limit);
      return undecided;
    }
    if (textEnd + 1 >= limit) return undecided;
    if (text[textEnd + 1] !== '(') return NONE;
    let depth = 0;
    for (let end = textEnd + 2; end < limit; end += 1) {
      const char = text[end];
      if (char === '\n' || char === '[') return NONE;
      if (char === '(') depth += 1;
      if (char === ')' && depth === 0) return { is: 'found', textEnd, end };
      if (char === ')') depth -= 1;
    }
    return undecided;
  }

  /** The `>` of `<https://…>`. */
  function autolink({ text, bound, isFinal }: View, at: number): Found<{ end: number }> {
    const limit = Math.min(bound, at + MAX_SPAN_CHARS);
    SCHEME.lastIndex = at;
    if (!SCHEME.test(text)) {
      const isShort = limit === text.length && !isFinal && limit - at < '<https://'.length;
      const start = text.slice(at, limit);
      const mayBecome = ['<https://', '<http://', '<mailto:'].some((all) => all.startsWith(start));
      return isShort && mayBecome ? WAIT : NONE;
    }
    for (let end = at + 1; end < limit; end += 1) {
      const char = text[end] ?? '';
      if (char === '>') return { is: 'found', end };
      if (char === '<' || SPACE.test(char)) return NONE;
    }
    return limit === text.length && !isFinal ? WAIT : NONE;
  }

  return {
    run,
    codeSpan,
    canOpen,
    closer,
    link,
    autolink,
    /** The text before this position was removed. */
    moveBack(by: number): void {
      searched = new Map([...searched].map(([key, end]) => [key, Math.max(0, end - by)]));
    },
  };
}
