import { readFileSync } from 'node:fs';

/** A fenced code block: its language, the words after it, and its text. */
export interface CodeBlock {
  readonly line: number;
  readonly language: string;
  readonly flags: readonly string[];
  readonly text: string;
}

export interface PageLink {
  readonly line: number;
  readonly target: string;
}

/** What the checks of the documentation read of a Markdown file. */
export interface MarkdownPage {
  readonly path: string;
  /** The ids of its headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly PageLink[];
  readonly blocks: readonly CodeBlock[];
  /** Its text without code; lines keep their numbers. */
  readonly prose: readonly string[];
}

const FENCE = /^\s*(?<marks>`{3,}|~{3,})(?<info>[^`]*)$/u;
const LINK = /!?\[(?:[^\]\\]|\\.)*\]\((?<target>[^)\s]+)(?:\s+"[^"]*")?\)/gu;

export function readMarkdownPage(path: string): MarkdownPage {
  const anchors = new Map<string, number>();
  const links: PageLink[] = [];
  const blocks: CodeBlock[] = [];
  const prose: string[] = [];
  let open: { marks: string; line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    const { marks, info = '' } = FENCE.exec(line)?.groups ?? {};
    if (open) {
      prose.push('');
      if (marks?.startsWith(open.marks) && info.trim() === '') {
        blocks.push(toBlock(open));
        open = undefined;
      } else open.lines.push(line);
      continue;
    }
    if (marks !== undefined) {
      prose.push('');
      open = { marks, line: index + 1, info, lines: [] };
      continue;
    }
    addHeading(anchors, line);
    const text = line.replaceAll(/`[^`]*`/gu, '`…`');
    for (const { groups } of text.matchAll(LINK)) {
      links.push({ line: index + 1, target: groups?.['target'] ?? '' });
    }
    prose.push(text);
  }
  const ids = [...anchors].flatMap(([id, count]) =>
    Array.from({ length: count }, (_, at) => (at === 0 ? id : `${id}-${at}`)),
  );
  return { path, anchors: new Set(ids), links, blocks, prose };
}

function toBlock({ line, info, lines }: { line: number; info: string; lines: string[] }): CodeBlock {
  const [language = '', ...flags] = info.trim().split(/\s+/u);
  return { line, language, flags, text: lines.join('\n') };
}

/** GitHub's id of a heading: lower case, without punctuation, blanks as hyphens. */
function addHeading(anchors: Map<string, number>, line: string): void {
  const [, title] = /^#{1,6}\s+(.*?)\s*#*$/u.exec(line) ?? [];
  if (title === undefined) return;
  const id = title
    .toLowerCase()
    .replaceAll(/\[(.*?)\]\(.*?\)/gu, '$1')
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
  anchors.set(id, (anchors.get(id) ?? 0) + 1);
}
