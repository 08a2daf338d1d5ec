const WIDTH = 80;

/** Prose broken at words to fit a terminal. Lines that fit stay as they were written. */
export function wrap(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.length <= WIDTH ? line : fill(line)))
    .join('\n');
}

function fill(line: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length <= WIDTH) current = longer;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current].join('\n');
}
