import { toInput } from './tool-input.ts';

/**
 * The arguments of one call on their way: what may be passed on at once, and whether they are complete. Clients put the pieces together
 * and read them as one object, so what comes after it is left out, and what is none is kept until it can be written as one.
 */
export interface ArgumentText {
  /** Gives what may be told of it. */
  add(text: string): string;
  /** What remains to be told. */
  end(): string;
  readonly isWhole: boolean;
  /** Whether something came after the object. */
  readonly hasMore: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const VISIBLE = /\S/;

export function createArgumentText(): ArgumentText {
  let stage: 'before' | 'object' | 'whole' | 'odd' = 'before';
  let depth = 0;
  let place: 'outside' | 'string' | 'escape' = 'outside';
  let odd = '';
  let hasMore = false;

  /** Reads on, and gives where the object ends; the length of the text when it does not. */
  function scan(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (place === 'escape') place = 'string';
      else if (place === 'string') {
        if (code === BACKSLASH) place = 'escape';
        else if (code === QUOTE) place = 'outside';
      } else if (code === QUOTE) place = 'string';
      else if (OPENING.has(code)) depth += 1;
      else if (CLOSING.has(code) && --depth === 0) {
        stage = 'whole';
        return at + 1;
      }
    }
    return text.length;
  }

  return {
    add(text) {
      if (stage === 'before') {
        const first = text.search(VISIBLE);
        if (first === -1) return '';
        stage = text[first] === '{' ? 'object' : 'odd';
      }
      if (stage === 'odd') {
        odd += text;
        return '';
      }
      const end = stage === 'whole' ? 0 : scan(text);
      hasMore ||= end < text.length && VISIBLE.test(text.slice(end));
      return end === text.length ? text : text.slice(0, end);
    },
    end() {
      if (stage !== 'odd') return '';
      stage = 'whole';
      return JSON.stringify(toInput(odd));
    },
    get isWhole() {
      return stage === 'whole';
    },
    get hasMore() {
      return hasMore;
    },
  };
}
