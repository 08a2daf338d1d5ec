const BACKSPACE = '\u007F';
const CTRL_H = '\b';
const CTRL_U = '\u0015';
const CTRL_W = '\u0017';

/** What a line holds after one more key, with the keys that a terminal itself would understand. */
export function typeKey(line: string, key: string): string {
  switch (key) {
    case BACKSPACE:
    case CTRL_H:
      return line.slice(0, -1);
    case CTRL_U:
      return '';
    case CTRL_W:
      return line.replace(/\S*\s*$/, '');
    default:
      return line + key;
  }
}
