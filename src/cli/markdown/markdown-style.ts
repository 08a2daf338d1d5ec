import { noColor, type Paint } from '../format/colors.ts';
import type { Io } from '../io.ts';

/** How Markdown looks on one terminal. */
export interface MarkdownStyle {
  readonly paint: Paint;
  readonly markers: 'hidden' | 'shown';
  readonly symbols: {
    readonly bullets: readonly string[];
    readonly quote: string;
    readonly rule: string;
    readonly column: string;
    readonly cross: string;
    readonly task: Readonly<Record<'open' | 'done', string>>;
  };
}

const SYMBOLS: Readonly<Record<Io['charset'], MarkdownStyle['symbols']>> = {
  'utf-8': {
    bullets: ['•', '◦', '▪'],
    quote: '│',
    rule: '─',
    column: '│',
    cross: '┼',
    task: { open: '☐', done: '☑' },
  },
  ascii: {
    bullets: ['*', '-', '+'],
    quote: '|',
    rule: '-',
    column: '|',
    cross: '+',
    task: { open: '[ ]', done: '[x]' },
  },
};

/** Without colours the markers stay, as nothing else would show what is bold or code. */
export function markdownStyle({ paint, charset }: Pick<Io, 'paint' | 'charset'>): MarkdownStyle {
  const markers = paint === noColor ? 'shown' : 'hidden';
  return { paint, markers, symbols: SYMBOLS[charset] };
}
