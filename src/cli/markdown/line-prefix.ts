import { displayWidth } from '../terminal/display-width.ts';
import type { Container } from './block-line.ts';
import type { MarkdownStyle } from './markdown-style.ts';

/** What lines begin with: bars of quotes, markers of items and the space below them. */
export interface LinePrefix {
  open(containers: readonly Container[]): void;
  /** Closes all but the first containers. Returns the line of an item that nothing was written in. */
  close(kept: number): string | undefined;
  /** The beginning of the next line; a marker is part of it once. */
  next(): string;
  /** The same, without using up a marker. */
  peek(): string;
  /** The beginning of an empty line. */
  empty(): string;
  /** Whether the next line has a marker. */
  isFresh(): boolean;
}

interface Level {
  readonly container: Container;
  /** Unpainted. */
  readonly first: string;
  readonly later: string;
  /** Of both. */
  readonly width: number;
  isShown: boolean;
}

export function createLinePrefix(style: MarkdownStyle, columns: () => number): LinePrefix {
  const { paint, symbols } = style;
  let levels: Level[] = [];
  /** The text of the current levels after their markers, which most lines begin with. */
  let later: { readonly columns: number; readonly text: string } | undefined;

  function createLevel(container: Container, depth: number): Level {
    if (container.is === 'quote') {
      const bar = `${symbols.quote} `;
      return { container, first: bar, later: bar, width: displayWidth(bar), isShown: true };
    }
    const { marker, task } = container;
    const bullet = symbols.bullets[depth % symbols.bullets.length] ?? '';
    const sign = marker.is === 'number' ? marker.text : task === undefined ? bullet : '';
    const box = task === undefined ? '' : symbols.task[task];
    const first = `${[sign, box].filter((part) => part !== '').join(' ')} `;
    const width = displayWidth(first);
    return { container, first, later: ' '.repeat(width), width, isShown: false };
  }

  function text(shown: readonly Level[]): string {
    // Half of a line is left for text: the outer levels are left out.
    const limit = columns() / 2;
    let width = shown.reduce((sum, level) => sum + level.width, 0);
    let from = 0;
    while (from < shown.length - 1 && width > limit && (shown[from]?.isShown ?? false)) {
      width -= shown[from]?.width ?? 0;
      from += 1;
    }
    let all = '';
    let bars = '';
    for (const level of shown.slice(from)) {
      const part = level.isShown ? level.later : level.first;
      if (level.container.is === 'quote') bars += part;
      else {
        all += paintBars(bars) + part;
        bars = '';
      }
    }
    return all + paintBars(bars);
  }

  /** Painted as one, as each line of deep quotes has many. */
  function paintBars(bars: string): string {
    return bars === '' ? '' : `${paint('dim', bars.trimEnd())} `;
  }

  function nextText(): string {
    if (levels.some(({ isShown }) => !isShown)) return text(levels);
    if (later?.columns !== columns()) later = { columns: columns(), text: text(levels) };
    return later.text;
  }

  return {
    open(containers) {
      const kept = levels.filter(({ container }, at) => containers[at] === container);
      let depth = kept.filter(({ container }) => container.is === 'item').length;
      const added = containers.slice(kept.length).map((container) => {
        const level = createLevel(container, depth);
        if (container.is === 'item') depth += 1;
        return level;
      });
      levels = [...kept, ...added];
      later = undefined;
    },
    close(kept) {
      const isUnused = levels.slice(kept).some(({ isShown }) => !isShown);
      const line = isUnused ? text(levels).trimEnd() : undefined;
      levels = levels.slice(0, kept);
      later = undefined;
      if (isUnused) for (const level of levels) level.isShown = true;
      return line;
    },
    next() {
      const shown = nextText();
      for (const level of levels) level.isShown = true;
      return shown;
    },
    peek: nextText,
    empty: () => text(levels.filter(({ isShown }) => isShown)).trimEnd(),
    isFresh: () => levels.some(({ isShown }) => !isShown),
  };
}
