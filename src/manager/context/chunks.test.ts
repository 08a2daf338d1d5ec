import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { chunkText, cutChunks, type Chunk } from './chunks.ts';
import { verifies } from '../../../test/verifies.ts';

const MAX_TOKENS = 300;
const HARD_TOKENS = 500;

function cut(text: string, maxTokens = MAX_TOKENS, hardMaxTokens = HARD_TOKENS): readonly Chunk[] {
  return [...cutChunks(text, { maxTokens, hardMaxTokens })];
}

function shown(text: string, maxTokens?: number, hardMaxTokens?: number): readonly string[] {
  return cut(text, maxTokens, hardMaxTokens).map((chunk) => chunkText(text, chunk));
}

/** Written apart from what it judges: the fence that is open at the end, or nothing. */
function openAtEnd(text: string): string | undefined {
  let open: { marks: string; quoted: boolean; depth: number } | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (open?.quoted && !/^\s*>/.test(line)) open = undefined;
    if (open) {
      const pattern = open.quoted
        ? /^([\s>]*)([`~]{3,64})\s{0,64}$/
        : /^(\s*)([`~]{3,64})\s{0,64}$/;
      const [, lead = '', marks = ''] = pattern.exec(line) ?? [];
      const isSame = marks !== '' && marks === open.marks.charAt(0).repeat(marks.length);
      if (isSame && marks.length >= open.marks.length && lead.length <= open.depth + 3) {
        open = undefined;
      }
      continue;
    }
    const [, lead = '', marks, info = ''] =
      /^((?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (!marks || marks.length > 64 || lead.length > 64) continue;
    if (marks.startsWith('`') && info.includes('`')) continue;
    open = { marks, quoted: lead.includes('>'), depth: lead.length };
  }
  return open?.marks;
}

/** Whether a row of dashes below a header is missing above some row of a table. */
function rowsWithoutHeader(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.filter((line, index) => {
    if (!/^\| r\d+ \|/.test(line)) return false;
    for (let at = index; at >= 0; at--) {
      if (/^\|[-|]+\|$/.test(lines[at] ?? '')) return false;
      if (!(lines[at] ?? '').startsWith('|')) return true;
    }
    return true;
  });
}

const code = (lines: number) =>
  Array.from({ length: lines }, (_, each) => `const value${each} = compute(${each});`).join('\n');
const rows = (count: number) =>
  Array.from({ length: count }, (_, each) => `| r${each} | value ${each} |`).join('\n');
const prose = (sentences: number) => 'The bus was late again. '.repeat(sentences).trim();

describe('cutting Markdown into chunks', () => {
  test('leaves a short text alone, and makes nothing of nothing', () => {
    expect(shown('# Title\n\nHello.')).toEqual(['# Title\n\nHello.']);
    expect(cut('')).toEqual([]);
  });

  test('prefers headings to paragraphs, and gives the headings above a chunk', () => {
    const section = (title: string) => `## ${title}\n\n${prose(20)}\n\n${prose(8)}\n\n`;
    const text = `# Guide\n\n${section('One')}${section('Two')}${section('Three')}`;
    const chunks = cut(text);
    expect(chunks.map(({ path }) => path)).toEqual([
      ['Guide'],
      ['Guide', 'Two'],
      ['Guide', 'Three'],
    ]);
    expect(
      shown(text)
        .slice(1)
        .every((chunk) => chunk.startsWith('## ')),
    ).toBe(true);
  });

  test('never ends a chunk with a heading', () => {
    const text = Array.from({ length: 12 }, (_, n) => `## Part ${n}\n\n${prose(45)}\n\n`).join('');
    for (const chunk of shown(text)) expect(chunk.trimEnd()).not.toMatch(/## Part \d+$/);
  });

  test('takes underlined titles for headings', () => {
    const text = `One\n===\n\n${prose(40)}\n\nTwo\n---\n\n${prose(40)}\n`;
    expect(cut(text).map(({ path }) => path)).toEqual([['One'], ['One', 'Two']]);
  });

  verifies(
    'context:blocks',
    'keeps code and tables whole, alone where they are larger than a chunk',
    () => {
      const fence = `\`\`\`ts\n${code(42)}\n\`\`\`\n`;
      const table = `| name | value |\n|---|---|\n${rows(45)}\n`;
      const text = `${prose(30)}\n\n${fence}\n${prose(30)}\n\n${table}\n${prose(30)}\n`;
      const chunks = shown(text);
      expect(estimateTokens(fence)).toBeGreaterThan(MAX_TOKENS);
      expect(estimateTokens(table)).toBeGreaterThan(MAX_TOKENS);
      expect(chunks.filter((chunk) => chunk.includes(fence.trim()))).toHaveLength(1);
      expect(chunks.filter((chunk) => chunk.includes(table.trim()))).toHaveLength(1);
    },
  );

  verifies(
    'context:blocks',
    'cuts code that is too large at its lines, and opens the fence again with its language',
    () => {
      const text = `Before.\n\n~~~~ts title="a"\n${code(200)}\n~~~~\n\nAfter.\n`;
      const chunks = shown(text);
      const inside = chunks.filter((chunk) => chunk.includes('const value'));
      expect(inside.length).toBeGreaterThan(3);
      for (const chunk of inside) {
        expect(chunk).toMatch(/^~~~~ts title="a"\n(?:const value\d+ = compute\(\d+\);\n)+~~~~\n+$/);
        expect(estimateTokens(chunk)).toBeLessThanOrEqual(MAX_TOKENS);
      }
    },
  );

  test('repeats the header of a table that is too large in every piece', () => {
    const text = `| name | value |\n|---|---|\n${rows(400)}\n\nAfter.\n`;
    const pieces = shown(text).filter((chunk) => chunk.includes('| r'));
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) {
      expect(piece.startsWith('| name | value |\n|---|---|\n| r')).toBe(true);
      expect(estimateTokens(piece)).toBeLessThanOrEqual(MAX_TOKENS);
    }
  });

  test('is not fooled by shorter fences inside, by quotes, by lists or by unclosed fences', () => {
    const nested = `\`\`\`\`md\n${'```js\nconst a = 1;\n```\n'.repeat(60)}\`\`\`\`\n`;
    const quoted = `> \`\`\`js\n${'> const a = 1;\n'.repeat(90)}> \`\`\`\n`;
    const left = `> \`\`\`js\n${'> const a = 1;\n'.repeat(90)}\n${prose(40)}\n`;
    const listed = `- \`\`\`js\n${'  const a = 1;\n'.repeat(90)}  \`\`\`\n`;
    const unclosed = `Text.\n\n\`\`\`js\n${code(100)}`;
    for (const text of [nested, quoted, left, listed, unclosed]) {
      const chunks = shown(text);
      expect(chunks.length).toBeGreaterThan(1);
      for (const chunk of chunks) expect(openAtEnd(chunk)).toBe(undefined);
    }
  });

  test('cuts one endless line within code without closing or opening anything by chance', () => {
    const ticks = `\`\`\`js\n${'x'.repeat(3_000)}${'`'.repeat(20_000)} x\n\`\`\`\nAfter.\n`;
    const began = `\`\`\`js\n${'`'.repeat(50)} ${'`'.repeat(20_000)}x\n\`\`\`\n`;
    const text = `${'word '.repeat(400)}${'`'.repeat(40_000)}`;
    const inline = `\`\`\`js ${'word '.repeat(900)}\`x\n`;
    for (const each of [ticks, began, text, inline]) {
      for (const chunk of shown(each)) {
        expect(openAtEnd(chunk)).toBe(undefined);
        expect(estimateTokens(chunk)).toBeLessThanOrEqual(HARD_TOKENS);
      }
    }
  });

  test('cuts text without any structure, and never inside a character', () => {
    for (const text of ['天地玄黄宇宙洪荒'.repeat(400), '😀'.repeat(2_000), 'a'.repeat(20_000)]) {
      const chunks = shown(text);
      expect(chunks.join('')).toBe(text);
      for (const chunk of chunks) {
        expect(chunk.isWellFormed()).toBe(true);
        expect(estimateTokens(chunk)).toBeLessThanOrEqual(MAX_TOKENS);
      }
    }
  });

  test('does not repeat an endless header or an endless language', () => {
    const table = `| ${'x'.repeat(50_000)} |\n|---|\n${'| 1 |\n'.repeat(2_000)}`;
    const fence = `\`\`\`${'x'.repeat(50_000)}\n${'code\n'.repeat(2_000)}\`\`\`\n`;
    for (const text of [table, fence]) {
      const total = shown(text).reduce((sum, chunk) => sum + chunk.length, 0);
      expect(total).toBeLessThan(text.length * 1.5);
    }
  });

  const line = fc.oneof(
    fc.constantFrom(
      '',
      '   ',
      '# H',
      '### Deep',
      'Title',
      '===',
      '---',
      '```',
      '```js',
      '````',
      '~~~',
      '~~~~ info',
      '> ```',
      '> quoted',
      '- ```',
      '  ```',
      '      ```',
      '| a | b |',
      '|---|---|',
      '| r1 | x |',
      '``` `x',
      '`'.repeat(70),
      'word '.repeat(400),
      '`'.repeat(9_000),
      `x${'`~'.repeat(3_000)}`,
      '天地玄黄。'.repeat(100),
    ),
    fc.string({ unit: fc.constantFrom('`', '~', '|', '-', ' ', '>', '#', 'a', '😀') }),
  );
  const markdown = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\n\n')), { maxLength: 60 })
    .map((lines) => lines.flat().join(''));

  verifies(
    'context:blocks',
    'gives the text back, keeps every chunk balanced and within its limit, whatever the text',
    () => {
      fc.assert(
        fc.property(markdown, (text) => {
          const chunks = cut(text);
          let at = 0;
          for (const chunk of chunks) {
            expect(chunk.from).toBe(at);
            expect(chunk.to).toBeGreaterThan(chunk.from);
            at = chunk.to;
            const whole = chunkText(text, chunk);
            expect(openAtEnd(whole)).toBe(undefined);
            expect(estimateTokens(whole)).toBeLessThanOrEqual(HARD_TOKENS);
          }
          expect(at).toBe(text.length);
        }),
        { numRuns: 400 },
      );
    },
  );

  test('has the header above every row, whatever stands around a table', () => {
    const piece = fc.oneof(
      fc.integer({ min: 1, max: 200 }).map((n) => `| name | value |\n|---|---|\n${rows(n)}\n\n`),
      fc.integer({ min: 1, max: 60 }).map((n) => `${prose(n)}\n\n`),
      fc.integer({ min: 1, max: 60 }).map((n) => `\`\`\`\n${code(n)}\n\`\`\`\n`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (parts) => {
        for (const chunk of shown(parts.join(''))) expect(rowsWithoutHeader(chunk)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['backticks', '`'],
    ['fences', '```\n'],
    ['pipes', '|'],
    ['tables', '|a|b|\n|-|-|\n'],
    ['headings', '# a\n\n'],
    ['line ends', '\n'],
    ['quotes', '>'],
    ['list marks', '- '],
    ['underlined titles', 'a\n---\n'],
  ])('is linear in %s: all of a flood is there, in order', (_, unit) => {
    const text = unit.repeat(Math.ceil(300_000 / unit.length));
    let at = 0;
    for (const { from, to } of cutChunks(text, { maxTokens: 12_000 })) {
      expect(from).toBe(at);
      at = to;
    }
    expect(at).toBe(text.length);
  });
});
