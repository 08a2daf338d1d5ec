import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readDocxBlocks } from './body.ts';
import type { DocxComments, DocxContext, DocxNotes } from './docx-context.ts';

type NoteKind = 'footnote' | 'endnote';

export interface NoteCollector extends DocxNotes {
  /** The notes in the order of their references. */
  blocks(context: DocxContext): OfficeBlock[];
}

export function createNotes(part: (kind: NoteKind) => string | undefined): NoteCollector {
  const labels = new Map<string, { kind: NoteKind; id: string; label: string }>();
  return {
    refer(kind, id): OfficeRun | undefined {
      if (part(kind) === undefined) return undefined;
      const key = `${kind}/${id}`;
      const known = labels.get(key);
      const label = known?.label ?? String(labels.size + 1);
      if (known === undefined) labels.set(key, { kind, id, label });
      return { text: `[^${label}]`, isMarkdown: true };
    },
    blocks(context) {
      const roots = {
        footnote: notesById(context, part('footnote'), 'footnote'),
        endnote: notesById(context, part('endnote'), 'endnote'),
      };
      const blocks: OfficeBlock[] = [];
      // A note may refer to further ones.
      for (const { kind, id, label } of labels.values()) {
        const note = roots[kind].get(id);
        const name = part(kind);
        if (note === undefined || name === undefined) continue;
        const inner = readDocxBlocks(note, { ...context, part: name });
        blocks.push({ kind: 'note', label, blocks: inner });
      }
      return blocks;
    },
  };
}

function notesById(
  { pack }: DocxContext,
  part: string | undefined,
  kind: NoteKind,
): Map<string, XmlElement> {
  const found = new Map<string, XmlElement>();
  for (const note of pack.part(part)?.elements(kind) ?? []) {
    const type = note.get('type') ?? 'normal';
    if (type === 'normal') found.set(note.get('id') ?? '', note);
  }
  return found;
}

export interface CommentCollector extends DocxComments {
  blocks(context: DocxContext, part: string | undefined): OfficeBlock[];
}

const MAX_QUOTE = 120;

export function createComments(): CommentCollector {
  const quotes = new Map<string, string>();
  const open = new Set<string>();
  return {
    open(id) {
      // Thousands of comments that never end must not collect the whole text each.
      if (open.size < 50 && !quotes.has(id)) open.add(id);
    },
    close(id) {
      open.delete(id);
    },
    addText(text) {
      for (const id of open) {
        const quote = `${quotes.get(id) ?? ''}${text}`;
        quotes.set(id, quote.slice(0, MAX_QUOTE + 1));
        if (quote.length > MAX_QUOTE) open.delete(id);
      }
    },
    blocks(context, part) {
      const comments = context.pack.part(part)?.elements('comment') ?? [];
      if (part === undefined) return [];
      return comments.flatMap((comment): OfficeBlock[] => {
        const inner = readDocxBlocks(comment, { ...context, part });
        const [first, ...rest] = inner;
        if (first === undefined) return [];
        const author = comment.get('author')?.trim() ?? '';
        const quote = (quotes.get(comment.get('id') ?? '') ?? '').replace(/\s+/g, ' ').trim();
        const shown = quote.length > MAX_QUOTE ? `${quote.slice(0, MAX_QUOTE)}…` : quote;
        const about = shown === '' ? '' : ` (“${shown}”)`;
        const intro = { text: `Comment${author === '' ? '' : ` by ${author}`}${about}: ` };
        if (first.kind === 'table' || first.kind === 'note')
          return [{ kind: 'item', level: 0, runs: [intro] }, ...inner];
        return [{ kind: 'item', level: 0, runs: [intro, ...first.runs] }, ...rest];
      });
    },
  };
}
