/**
 * A unit as systemd parses it by its manual: systemd.syntax(7), systemd.service(5),
 * systemd.exec(5).
 */
export interface ParsedUnit {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Every other line, as `Section.Name`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Variables that a command could expand; correct quoting expands none. */
const VARIABLES: Readonly<Record<string, string>> = { HOME: '/home/somebody', y: 'y-was-expanded' };

export function parseUnit(text: string): ParsedUnit {
  const settings: Record<string, string> = {};
  let section = '';
  for (const line of text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((each) => each.trim())) {
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (line.startsWith('[')) section = line.slice(1, -1);
    else {
      const at = line.indexOf('=');
      settings[`${section}.${line.slice(0, at).trim()}`] = line.slice(at + 1).trim();
    }
  }
  const {
    'Service.ExecStart': command = '',
    'Service.Environment': environment = '',
    ...rest
  } = settings;
  const assignments = words(environment).map(specifiers);
  return {
    command: parseCommand(command),
    environment: Object.fromEntries(
      assignments.map((each) => [
        each.slice(0, each.indexOf('=')),
        each.slice(each.indexOf('=') + 1),
      ]),
    ),
    settings: rest,
  };
}

function parseCommand(line: string): string[] {
  const [program = '', ...args] = words(line).map(specifiers);
  if (!program.startsWith('/')) throw new Error(`${program} is not absolute`);
  if (/["'\\\p{Cc}]/u.test(program)) throw new Error('Executable name contains special characters');
  return [program, ...args.flatMap(variables)];
}

/**
 * `"…"`, `'…'` and bare words; in all of them a backslash begins an escape, and an unknown one is
 * an error.
 */
function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '\\') {
      const next = line.charAt(++at);
      const unescaped = new Map([
        ['\\', '\\'],
        ['"', '"'],
        ["'", "'"],
        ['s', ' '],
        ['n', '\n'],
        ['t', '\t'],
      ]).get(next);
      if (unescaped === undefined) throw new Error(`Unknown escape \\${next}`);
      word = (word ?? '') + unescaped;
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else word = (word ?? '') + char;
    } else if ((char === '"' || char === "'") && word === undefined) {
      quote = char;
      word = '';
    } else if (char === ' ' || char === '\t') {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new Error('Unbalanced quoting');
  return word === undefined ? found : [...found, word];
}

function specifiers(word: string): string {
  return word.replaceAll(/%(.?)/gsu, (_, letter: string) => {
    if (letter === '%') return '%';
    if (letter === 'h') return '/home/somebody';
    throw new Error(`Failed to resolve %${letter}`);
  });
}

function variables(word: string): string[] {
  const whole = /^\$([A-Za-z_]\w*)$/.exec(word);
  if (whole) return (VARIABLES[whole[1] ?? ''] ?? '').split(' ').filter((each) => each !== '');
  return [
    word.replaceAll(/\$(?:\$|\{(\w+)\})/g, (found, name?: string) =>
      found === '$$' ? '$' : (VARIABLES[name ?? ''] ?? ''),
    ),
  ];
}
