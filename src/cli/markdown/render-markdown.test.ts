import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { ansi, noColor } from '../format/colors.ts';
import { displayWidth } from '../terminal/display-width.ts';
import { markdownStyle } from './markdown-style.ts';
import { createMarkdownRenderer, renderMarkdown } from './render-markdown.ts';

const STYLED = markdownStyle({ paint: ansi, charset: 'utf-8' });
const PLAIN = markdownStyle({ paint: noColor, charset: 'ascii' });

const styled = (text: string, width = 40) =>
  renderMarkdown(text, { style: STYLED, columns: () => width });
const plain = (text: string, width = 40) =>
  renderMarkdown(text, { style: PLAIN, columns: () => width });
// eslint-disable-next-line no-control-regex -- the escape character is what is looked for
const bare = (text: string) => text.replaceAll(/\u001B\[\d+m/g, '');

verifies(
  'cli:markdown',
  'headings, emphasis, code and links have styles, and their markers go',
  () => {
    expect(styled('# Big\n## Small')).toBe(
      '\u001B[4m\u001B[1mBig\u001B[22m\u001B[24m\n\n\u001B[1mSmall\u001B[22m\n',
    );
    expect(styled('**b** *i* ~~s~~ `c`')).toBe(
      '\u001B[1mb\u001B[22m \u001B[3mi\u001B[23m \u001B[9ms\u001B[29m \u001B[36mc\u001B[39m\n',
    );
    expect(bare(styled('[docs](https://a.example/x) <https://b.example> ![pic](p.png)', 80))).toBe(
      'docs (https://a.example/x) https://b.example pic (p.png)\n',
    );
  },
);

test('without styles the markers stay', () => {
  expect(plain('# Big\n\n**b** `c` [d](e) \\* <https://x>')).toBe(
    '# Big\n\n**b** `c` [d](e) \\* <https://x>\n',
  );
});

/** By the code that ends a style, the codes that it ends. */
const ENDED_STYLES: Readonly<Record<string, readonly string[]>> = {
  22: ['1', '2'],
  23: ['3'],
  24: ['4'],
  29: ['9'],
  39: ['31', '32', '33', '35', '36'],
};

/** What a terminal shows: each character with its styles, however the escapes are grouped. */
function shownCells(out: string): string[] {
  const on = new Set<string>();
  const cells: string[] = [];
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  for (const [char, code] of out.matchAll(/\u001B\[(\d+)m|[^]/gu)) {
    if (code === undefined) cells.push(`${char} ${[...on].toSorted().join(' ')}`);
    else if (ENDED_STYLES[code] === undefined) on.add(code);
    else for (const ended of ENDED_STYLES[code]) on.delete(ended);
  }
  return cells;
}

const INLINE: readonly (readonly [text: string, shown: string])[] = [
  ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
  ['**never closed', '**never closed'],
  ['`never closed', '`never closed'],
  ['[no](', '[no]('],
  ['[no] (link)', '[no] (link)'],
  ['***both*** **a *b***', 'both a b'],
  ['*a **b***', 'a b'],
  ['`` a`b `` and `**not bold**`', 'a`b and **not bold**'],
  ['**a `**` b**', 'a ** b'],
  [String.raw`\*no\* \(x\) C:\dir`, String.raw`*no* \(x\) C:\dir`],
  ['[https://a.example](https://a.example)', 'https://a.example'],
  ['a < b > c <div>', 'a < b > c <div>'],
  ['***', '─'.repeat(40)],
];
for (const [text, shown] of INLINE) {
  test(`${JSON.stringify(text)} reads ${JSON.stringify(shown)}`, () => {
    expect(bare(styled(text))).toBe(`${shown}\n`);
  });
}

test('lists have markers, levels, numbers and boxes, with lines that hang', () => {
  const text =
    '- one two three four five\n  - deep\n    1. number\n- [ ] open\n- [x] done\n\n7) seven';
  expect(bare(styled(text, 16))).toBe(
    '• one two three\n  four five\n  ◦ deep\n    1. number\n☐ open\n☑ done\n\n7) seven\n',
  );
  expect(plain('- a\n-\n- [x] b')).toBe('* a\n*\n[x] b\n');
});

test('a quote has a bar in front of each line, and blocks inside', () => {
  const text = '> one two three four\n> > deep\n>\n> - item\n\nafter';
  expect(bare(styled(text, 12))).toBe('│ one two\n│ three four\n│ │ deep\n│\n│ • item\n\nafter\n');
});

test('code is never wrapped, keeps its spaces, and is set apart', () => {
  const long = `const x = '${'y'.repeat(50)}';  `;
  expect(bare(styled(`before\n\`\`\`ts\n${long}\n\n  indented\n\`\`\`\nafter`, 20))).toBe(
    `before\n\n─── ts\n${long}\n\n  indented\n───\n\nafter\n`,
  );
  expect(bare(styled('1. do\n   ```sh\n   ls\n  pwd\n   ```\n2. end'))).toBe(
    '1. do\n\n   ─── sh\n   ls\n   pwd\n   ───\n\n2. end\n',
  );
  expect(bare(styled('```\nnever closed'))).toBe('───\nnever closed\n───\n');
  expect(bare(styled('text\n\n    four spaces'))).toBe('text\n\nfour spaces\n');
});

test('lines break at words, between ideographs and never before their closing marks', () => {
  expect(styled('one two three four', 9)).toBe('one two\nthree\nfour\n');
  expect(styled('世界世界、世界', 8)).toBe('世界世\n界、世界\n');
  const url = `https://a.example/${'x'.repeat(60)}`;
  expect(styled(`see ${url} there`, 20)).toBe(`see\n${url}\nthere\n`);
});

test('a line break of the answer stays one', () => {
  expect(styled('Name: x\nAge: 3  \nEnd\\\nof it')).toBe('Name: x\nAge: 3\nEnd\nof it\n');
});

test('the width is read for each line, so that a resized window is followed', () => {
  let width = 20;
  let out = '';
  const renderer = createMarkdownRenderer({
    style: PLAIN,
    columns: () => width,
    write: (text) => void (out += text),
  });
  renderer.add('one two three four five six');
  width = 8;
  renderer.add(' seven eight nine ten');
  renderer.end();
  expect(out).toBe('one two three four\nfive six\nseven\neight\nnine ten\n');
});

const CHARS =
  '一丁七万丈三上下不与丐丑专且世丘丙业丛东丝丞丢两严丧个丫中丰串临丸丹为主丽举乃久么义之乌乍乎乏乐';
const MARKERS = [
  '**|*|_|`|```|~~|~~~|> |- |1. |# |    | |\t'.split('|'),
  '[ ]( ) ! < > \\ --- a 🦉 é + = <https://x'.split(' '),
  ['- [ ] ', '\n', '\n\n', '\n> ', '\n- '],
].flat();
const fragment = fc.constantFrom(...CHARS.split(''), ...MARKERS);
const markdown = fc.array(fragment, { maxLength: 120 }).map((parts) => parts.join(''));
const tables = fc
  .array(
    fc.constantFrom(
      ...CHARS.split(''),
      '|',
      '|',
      ' | ',
      '\n|',
      '\n|---|---|\n',
      '**',
      '`',
      ' ',
      'ab',
    ),
    {
      maxLength: 120,
    },
  )
  .map((parts) => `|${parts.join('')}`);
const han = (text: string) => text.match(/\p{Script=Han}/gu) ?? [];
const width = fc.integer({ min: 1, max: 100 });

verifies('cli:markdown', 'every word of any answer is shown once, in its order', () => {
  fc.assert(
    fc.property(markdown, width, (text, columns) => {
      // A link whose text is its address is shown once.
      fc.pre(!/\[([^\]]*)\]\(\1\)/.test(text));
      for (const style of [STYLED, PLAIN]) {
        const out = renderMarkdown(text, { style, columns: () => columns });
        expect(han(out).join('')).toBe(han(text).join(''));
        expect(out === '' || out.endsWith('\n')).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('every word of any table is shown', () => {
  fc.assert(
    fc.property(tables, width, (text, columns) => {
      const out = new Map<string, number>();
      for (const char of han(styled(text, columns))) out.set(char, (out.get(char) ?? 0) + 1);
      for (const char of han(text)) {
        const left = out.get(char) ?? 0;
        expect(left).toBeGreaterThan(0);
        out.set(char, left - 1);
      }
    }),
    { numRuns: 1_000 },
  );
});

verifies('cli:markdown', 'an answer looks the same however it is cut into pieces', () => {
  fc.assert(
    fc.property(fc.oneof(markdown, tables), fc.array(fc.nat(12)), width, (text, cuts, columns) => {
      let out = '';
      const renderer = createMarkdownRenderer({
        style: STYLED,
        columns: () => columns,
        write: (piece) => void (out += piece),
      });
      // A writer passes on whole characters.
      const chars = Array.from(text);
      for (const length of cuts) renderer.add(chars.splice(0, length).join(''));
      renderer.add(chars.join(''));
      renderer.end();
      expect(shownCells(out)).toEqual(shownCells(styled(text, columns)));
    }),
    { numRuns: 2_000, examples: [['#     ](1. ', [7, 1], 1]] },
  );
});

test('no line of words and tables is wider than the terminal', () => {
  const words = fc.array(
    fc.constantFrom('ab', '世界', '🦉', 'é', ' ', ' ', '**x**', '`c`', '\n- ', '\n> '),
  );
  fc.assert(
    fc.property(words, tables, fc.integer({ min: 20, max: 80 }), (parts, table, columns) => {
      fc.pre(!/\S{20}/.test(table));
      for (const line of styled(`${parts.join('')}\n\n${table}`, columns).split('\n'))
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }),
  );
});

const MEGABYTE = 1_000_000;
const repeated = (text: string) => text.repeat(Math.ceil(MEGABYTE / text.length));
const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['nested quotes', `${'>'.repeat(10_000)} 一\n`.repeat(20)],
  ['lines that continue a deep quote', `${'> '.repeat(300)}一\n${repeated('y\n')}`],
  [
    'lines that continue a deep quote with hard breaks',
    `${'> '.repeat(300)}一\n${repeated('y  \n')}`,
  ],
  ['nested lists', `${'- '.repeat(10_000)} 一\n`.repeat(20)],
  [
    'indented lists',
    Array.from({ length: 1_000 }, (_, at) => `${' '.repeat(at * 2)}- 一`).join('\n'),
  ],
  ['one line of letters', `一${'a'.repeat(MEGABYTE)}`],
  ['one line of words', repeated('一 ab ')],
  ['one line of markers', repeated('*')],
  ['openers', repeated('*a **b _c `d ')],
  ['backticks of every length', Array.from({ length: 1_400 }, (_, at) => '`'.repeat(at)).join(' ')],
  ['brackets', repeated('[')],
  ['half links', repeated('[](')],
  ['half addresses', repeated('<https://')],
  ['backslashes', repeated('\\')],
  ['unclosed fence', `\`\`\`js\n${repeated('一 /* " \n')}`],
  ['one line of code', `\`\`\`js\n${repeated('x = "一" ')}`],
  ['a table of many rows', `| a | b |\n|---|---|\n${repeated('| 一 | x |\n')}`],
  ['a table of many columns', `${repeated('|一')}\n${repeated('|-')}\n|1|2|`],
  ['a table of empty cells', `${repeated('|')}\n|-|-|\n|1|2|`],
  ['a cell of many lines', `|a|\n|-|\n|${repeated('一<br>')}|`],
  ['combining marks', `一${repeated('\u0301')}`],
  ['spaces', repeated(' ')],
  ['line breaks', repeated('\n')],
  ['rules', repeated('- - - \n')],
];
for (const [name, text] of HOSTILE) {
  test(`a megabyte is rendered whole: ${name}`, () => {
    const out = styled(text, 80);
    expect(han(out).length).toBeGreaterThanOrEqual(han(text).length);
    expect(out.length).toBeLessThan(20 * MEGABYTE);
  });
}
