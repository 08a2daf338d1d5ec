import type { ChatEvent, Citation } from './chat.ts';
import { flattenBatches } from '../async-iterators.ts';
import { notice } from '../messages/notices.ts';

/** A mark such as `[ref_12]`, as it grows. */
const MARK_SO_FAR = /^\[(?:r(?:e(?:f(?:_\d{0,4})?)?)?)?$/;
const MARK = /^\[(ref_\d{1,4})\]$/;
const MAX_URL_CHARS = 2_048;
const NOT_FOUND = ' [not among the sources]';

/**
 * Checks the citations of an answer with a search against the results that were really returned.
 * Marks that no result has are left out, links to other addresses are marked, and a notice counts
 * them. Where the results come after the text, the notice alone says so. Code is left as it is.
 */
export function checkWebCitations(
  events: AsyncIterable<ChatEvent>,
): AsyncIterableIterator<ChatEvent> {
  const source = events[Symbol.asyncIterator]();
  const checker = createCitationChecker();
  /** The error that ended the answer, thrown after what was held back. */
  let failure: { readonly thrown: unknown } | undefined;

  function take(event: ChatEvent): readonly ChatEvent[] {
    if (event.type === 'text') return textEvents(checker.add(event.text));
    if (event.type === 'citation') {
      checker.know(event.citation);
      return [event];
    }
    // The usage comes after the whole text.
    if (event.type !== 'usage' && event.type !== 'tool_call') return [event];
    const held = textEvents(checker.flush());
    return [...held, ...(event.type === 'usage' ? checker.notices() : []), event];
  }

  return flattenBatches({
    async next() {
      if (failure) throw failure.thrown;
      try {
        const { value, done } = await source.next();
        return done === true ? undefined : take(value);
      } catch (thrown) {
        const held = textEvents(checker.flush());
        if (held.length === 0) throw thrown;
        failure = { thrown };
        return held;
      }
    },
    close: () => void source.return?.(),
  });
}

function textEvents(text: string): readonly ChatEvent[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

interface CitationChecker {
  know(citation: Citation): void;
  /** The text that can be emitted; the rest may be the beginning of a mark. */
  add(text: string): string;
  flush(): string;
  notices(): readonly ChatEvent[];
}

function createCitationChecker(): CitationChecker {
  const marks = new Set<string>();
  const urls = new Set<string>();
  /** Emitted before any result was known. */
  const unchecked = { marks: new Set<string>(), urls: new Set<string>() };
  let droppedMarks = 0;
  let markedLinks = 0;
  let held = '';
  /** The address of a link, while it is read. */
  let url: string | undefined;
  let last = '';
  let ticks = 0;
  let code: 'none' | 'span' | 'block' = 'none';

  function resolve(mark: string, written: string): string {
    if (marks.has(mark)) return written;
    if (urls.size === 0) {
      unchecked.marks.add(mark);
      return written;
    }
    droppedMarks += 1;
    return '';
  }

  function endLink(address: string): string {
    const key = addressKey(address);
    if (key === undefined || urls.has(key)) return '';
    if (urls.size === 0) {
      unchecked.urls.add(key);
      return '';
    }
    markedLinks += 1;
    return NOT_FOUND;
  }

  /** Counts backticks: what is between them is code. */
  function countTicks(char: string): void {
    if (char === '`') {
      ticks += 1;
      return;
    }
    if (ticks >= 3) code = code === 'block' ? 'none' : 'block';
    else if (ticks > 0 && code !== 'block') code = code === 'span' ? 'none' : 'span';
    ticks = 0;
    if (char === '\n' && code === 'span') code = 'none';
  }

  function takeUrl(char: string, so: string): string {
    if (char === ')') {
      url = undefined;
      return char + endLink(so);
    }
    const goesOn = !/\s/.test(char) && so.length < MAX_URL_CHARS;
    url = goesOn ? so + char : undefined;
    return char;
  }

  function takeChar(char: string): string {
    countTicks(char);
    const before = last;
    last = char;
    if (held !== '') {
      const grown = held + char;
      const [, mark] = MARK.exec(grown) ?? [];
      held = mark === undefined && MARK_SO_FAR.test(grown) ? grown : '';
      if (mark !== undefined) return resolve(mark, grown);
      if (held !== '') return '';
      // What was held is not a mark; this character may begin one.
      if (char !== '[') return grown;
      held = char;
      return grown.slice(0, -1);
    }
    if (url !== undefined) return takeUrl(char, url);
    if (code !== 'none' || ticks > 0) return char;
    if (char === '[') {
      held = char;
      return '';
    }
    if (char === '(' && before === ']') url = '';
    return char;
  }

  return {
    know({ url: address, mark }) {
      urls.add(addressKey(address) ?? address);
      if (mark !== undefined) marks.add(mark);
    },
    add(text) {
      let checked = '';
      for (const char of text) checked += takeChar(char);
      return checked;
    },
    flush() {
      const rest = held;
      held = '';
      return rest;
    },
    notices() {
      // Without any result there is a notice about that already.
      const late = (found: Set<string>, known: Set<string>) =>
        urls.size === 0 ? 0 : [...found].filter((each) => !known.has(each)).length;
      const counts = {
        marks: droppedMarks + late(unchecked.marks, marks),
        links: markedLinks + late(unchecked.urls, urls),
      };
      if (counts.marks + counts.links === 0) return [];
      return [{ type: 'notice', notice: notice('sources_not_found', counts) }];
    },
  };
}

/** One key for the spellings of an address; undefined for anything else. */
function addressKey(address: string): string | undefined {
  const [, rest] = /^https?:\/\/([^\s#]+)/i.exec(address) ?? [];
  return rest?.replace(/\/$/, '').replace(/^www\./i, '');
}
