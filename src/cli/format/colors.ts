import type { Environment } from '#config/environment.ts';

export type Colour =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'red'
  | 'green'
  | 'yellow'
  | 'magenta'
  | 'cyan';
export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

export const ansi: Paint = (colour, text) => {
  const [on, off] = CODES[colour];
  return text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`;
};
export const noColor: Paint = (_, text) => text;

/** Colours are used on a terminal that shows them, unless disabled (https://no-color.org). */
export function paintFor(env: Environment, output: 'terminal' | 'file'): Paint {
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return output === 'terminal' && !refused ? ansi : noColor;
}
